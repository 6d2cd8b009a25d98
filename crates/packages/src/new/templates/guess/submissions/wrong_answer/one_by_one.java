/** Tries 1, 2, 3 and so on, which takes too many guesses. */

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

public class OneByOne {
    public static void main(String[] arguments) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in));
        in.readLine();
        String reply = "higher";
        for (int guess = 1; "higher".equals(reply); guess++) {
            System.out.println(guess); // a whole line is flushed at once
            reply = in.readLine();
        }
    }
}
