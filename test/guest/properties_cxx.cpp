// Invariants over C++ variables: namespaces, static members, references, atomics, bases.
//
// heddle: verdict=verified options="--invariant 'ns::Pool::count <= 2 && total <= 2' --invariant 'pool.level >= 0 && pool.ready == (pool.kind == ns::Kind::Big)'"
// heddle: verdict=violation kind=invariant message~="total = 2" options="--invariant 'ns::total < 2'"
// heddle: verdict=violation kind=invariant message~="Pool::count = 2" options="--invariant 'Pool::count != 2'"
// heddle: verdict=verified options="--invariant 'alias == pool.level'"
#include <atomic>
#include <mutex>
#include <thread>

namespace ns
{
enum class Kind { Small, Big };
struct Base {
	int level = 1;
};
struct Pool : Base {
	static int count;
	bool ready = true;
	Kind kind = Kind::Big;
};
int Pool::count;
std::atomic<int> total;
} // namespace ns

ns::Pool pool;
int &alias = pool.level;
static std::mutex lock;

static void work()
{
	std::lock_guard<std::mutex> hold(lock);
	ns::Pool::count++;
	ns::total++;
}

int main()
{
	std::thread one(work), two(work);
	one.join();
	two.join();
	return 0;
}
