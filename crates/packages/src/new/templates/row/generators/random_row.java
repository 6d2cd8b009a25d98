/** Prints a row of random numbers: RandomRow.java LENGTH LEAST MOST SEED. */

import java.util.Random;

public class RandomRow {
    public static void main(String[] words) {
        int length = Integer.parseInt(words[0]), least = Integer.parseInt(words[1]), most = Integer.parseInt(words[2]);
        var random = new Random(Long.parseLong(words[3]));
        var row = new StringBuilder();
        for (int i = 0; i < length; i++) {
            row.append(i == 0 ? "" : " ").append(least + random.nextInt(most - least + 1));
        }
        System.out.print(length + "\n" + row + "\n");
    }
}
