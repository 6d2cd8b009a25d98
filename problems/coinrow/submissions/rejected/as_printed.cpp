// Mistake: the program of the source as it is printed there. Its sums wrap around at 2^31, and its loops stand inside
// the one that reads, which makes it cubic.
#include <iostream>

using namespace std;

int main() {
    int testCases;
    cin >> testCases;
    while (testCases-- > 0) {
        int n;
        cin >> n;
        int smart[n][n], dumb[n][n], sum[n][n];
        for (int i = 0; i < n; i++) {
            cin >> sum[i][i];
            smart[i][i] = dumb[i][i] = sum[i][i];
            for (int d = 1; d < n; d++)
                for (int i = 0; i + d < n; i++) {
                    int j = i + d;
                    sum[i][j] = sum[i][j - 1] + sum[j][j];
                    smart[i][j] = sum[i][j] - min(smart[i + 1][j], smart[i][j - 1]);
                    if ((d + n) % 2)
                        dumb[i][j] = sum[i][j] - min(dumb[i + 1][j], dumb[i][j - 1]);
                    else
                        dumb[i][j] = sum[i][j] - max(dumb[i + 1][j], dumb[i][j - 1]);
                }
        }
        cout << dumb[0][n - 1] << " " << smart[0][n - 1] << endl;
    }
    return 0;
}
