#include "cli/network.h"

#include <stdio.h>
#include <string.h>

#include "broker/broker.h"
#include "cli/cli.h"
#include "peer/peer.h"

static bool give_up(void)
{
	return interrupt_count() > 0;
}

int network_start(struct network *n, const struct check_options *o, struct problem *p)
{
	struct peer_options peers = o->peers;
	int ret;

	memset(n, 0, sizeof(*n));
	if (!o->config.net.live)
		return 0;
	peers.out = o->out;
	peers.interrupted = give_up;
	n->peers = peers_start(&peers, p);
	if (!n->peers)
		return -1;
	n->broker = broker_create(&o->broker, peers_for_broker(n->peers), p);
	ret = n->broker ? peers_start_servers(n->peers, n->broker, p) : -1;
	if (ret)
		network_end(n);
	return ret;
}

void network_serve(struct network *n, struct sut *s)
{
	struct wire_net *net = &s->worker->net;

	if (n->broker) {
		broker_serve(n->broker, net);
		n->gave_up |= net->status == NET_TROUBLE_TOOL && give_up();
	} else {
		net->status = NET_TROUBLE_TOOL;
		snprintf(net->text, sizeof(net->text), "the runtime asks for a peer, and there is no broker");
	}
	sut_answer(s);
}

u64 network_peers(const struct network *n)
{
	return n->peers ? peers_running(n->peers) : 0;
}

void network_end(struct network *n)
{
	if (n->broker)
		broker_free(n->broker);
	if (n->peers)
		peers_end(n->peers);
	memset(n, 0, sizeof(*n));
}
