// The table of leads in Java, with a scanner that may read ahead only as far as there is something to read.
import java.util.Scanner;

public class Solution {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int n = in.nextInt();
        int side = in.nextInt();
        int[] row = new int[n];
        for (int i = 0; i < n; i++) row[i] = in.nextInt();
        int[][] lead = new int[n + 1][n + 1];
        for (int length = 1; length <= n; length++) {
            for (int i = 0; i + length <= n; i++) {
                int j = i + length;
                lead[i][j] = Math.max(row[i] - lead[i + 1][j], row[j - 1] - lead[i][j - 1]);
            }
        }
        int i = 0;
        int j = n;
        for (int turn = 1; turn <= n; turn++) {
            String move;
            if (turn % 2 == side % 2) {
                move = row[i] - lead[i + 1][j] == lead[i][j] ? "L" : "R";
                System.out.println(move);
                System.out.flush();
            } else {
                move = in.next();
            }
            if (move.equals("L")) i++; else j--;
        }
    }
}
