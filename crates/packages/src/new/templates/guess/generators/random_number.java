/** Prints n and a random number up to n: RandomNumber.java N SEED. */

import java.util.Random;

public class RandomNumber {
    public static void main(String[] words) {
        int n = Integer.parseInt(words[0]);
        var random = new Random(Long.parseLong(words[1]));
        System.out.print(n + " " + (1 + random.nextInt(n)) + "\n");
    }
}
