/** Compares every possible guess with every possible number to find the guess that halves them. */

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.stream.IntStream;

public class CountsAll {
    public static void main(String[] arguments) throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in));
        int n = Integer.parseInt(in.readLine());
        int[] possible = IntStream.rangeClosed(1, n).toArray();
        String reply = "";
        while (!"right".equals(reply)) {
            int least = Integer.MAX_VALUE, best = 0;
            for (int guess : possible) {
                int smaller = 0;
                for (int number : possible) {
                    smaller += number < guess ? 1 : 0;
                }
                int unevenness = Math.abs(possible.length - 2 * smaller - 1);
                if (unevenness < least) {
                    least = unevenness;
                    best = guess;
                }
            }
            System.out.println(best); // a whole line is flushed at once
            reply = in.readLine();
            if (reply == null) {
                return;
            }
            int guessed = best;
            boolean isHigher = reply.equals("higher");
            possible = IntStream.of(possible).filter(x -> isHigher ? x > guessed : x < guessed).toArray();
        }
    }
}
