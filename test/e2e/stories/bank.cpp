// Members of C++ objects: a mutex in a vector's element is named by what leads to it.
#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

struct Account {
	std::mutex lock;
	std::atomic<int> uses{0};
	long balance = 100;
};

class Bank
{
      public:
	void move(int from, int to, long amount)
	{
		std::lock_guard<std::mutex> a(accounts[from].lock);
		accounts[from].uses++;
		accounts[from].balance -= amount;
		std::lock_guard<std::mutex> b(accounts[to].lock);
		accounts[to].balance += amount;
	}

      private:
	Account accounts[2];
};

int main()
{
	Bank bank;
	std::thread one([&] { bank.move(0, 1, 10); });
	std::thread two([&] { bank.move(1, 0, 20); });

	one.join();
	two.join();
	return 0;
}
