// The Hungarian method with potentials, cubic in n.
#include <climits>
#include <iostream>
#include <vector>

int main() {
    int n;
    std::cin >> n;
    std::vector<std::vector<int>> a(n + 1, std::vector<int>(n + 1));
    for (int i = 1; i <= n; ++i)
        for (int j = 1; j <= n; ++j) std::cin >> a[i][j];
    std::vector<int> u(n + 1), v(n + 1), match(n + 1), way(n + 1);
    for (int i = 1; i <= n; ++i) {
        match[0] = i;
        int j0 = 0;
        std::vector<int> least(n + 1, INT_MAX);
        std::vector<bool> used(n + 1);
        do {
            used[j0] = true;
            int delta = INT_MAX, next = 0;
            for (int j = 1; j <= n; ++j) {
                if (used[j]) continue;
                int cost = a[match[j0]][j] - u[match[j0]] - v[j];
                if (cost < least[j]) least[j] = cost, way[j] = j0;
                if (least[j] < delta) delta = least[j], next = j;
            }
            for (int j = 0; j <= n; ++j)
                if (used[j]) u[match[j]] += delta, v[j] -= delta;
                else least[j] -= delta;
            j0 = next;
        } while (match[j0]);
        do {
            match[j0] = match[way[j0]];
            j0 = way[j0];
        } while (j0);
    }
    std::vector<int> column(n + 1);
    for (int j = 1; j <= n; ++j) column[match[j]] = j;
    for (int round = 0; round < n; ++round) {
        int row;
        std::cin >> row;
        std::cout << column[row] << std::endl;
    }
}
