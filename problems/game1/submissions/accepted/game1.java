// The quadratic table over stretches of growing length.

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Scanner;

class Main {
    public static void main(String[] args) throws IOException {
        int[] board;
        try (Scanner in = new Scanner(new File("game1.in"))) {
            board = new int[in.nextInt()];
            for (int i = 0; i < board.length; i++) {
                board[i] = in.nextInt();
            }
        }

        int n = board.length;
        int[][] lead = new int[n][n];
        int total = 0;
        for (int right = 0; right < n; right++) {
            total += board[right];
            lead[right][right] = board[right];
            for (int left = right - 1; left >= 0; left--) {
                lead[left][right] =
                        Math.max(board[left] - lead[left + 1][right], board[right] - lead[left][right - 1]);
            }
        }

        int first = (total + lead[0][n - 1]) / 2;
        try (PrintWriter out = new PrintWriter("game1.out")) {
            out.println(first + " " + (total - first));
        }
    }
}
