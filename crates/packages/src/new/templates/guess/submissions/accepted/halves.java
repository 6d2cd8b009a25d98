/** Halves what is possible with each guess. */

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

public class Halves {
    public static void main(String[] arguments) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in));
        int least = 1, most = Integer.parseInt(in.readLine());
        String reply = "";
        while (!"right".equals(reply)) {
            int guess = (least + most) / 2;
            System.out.println(guess); // a whole line is flushed at once
            reply = in.readLine();
            if (reply == null) {
                return;
            }
            if (reply.equals("higher")) {
                least = guess + 1;
            } else {
                most = guess - 1;
            }
        }
    }
}
