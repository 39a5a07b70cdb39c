#include "session/network.h"

#include <stdio.h>
#include <string.h>

void network_none(struct network *n)
{
	memset(n, 0, sizeof(*n));
}

int network_start(struct network *n, const struct peer_options *peers, const struct broker_options *broker,
		  const struct checkpoint_options *checkpoint, const struct net_config *c, struct problem *p)
{
	struct peer_options o = *peers;
	int ret;

	network_none(n);
	n->interrupted = peers->interrupted;
	if (checkpoint && !(n->saver = saver_create(checkpoint, c->save_all, &o, p)))
		return -1;
	n->peers = peers_start(&o, p);
	if (n->peers)
		n->broker = broker_create(broker, peers_for_broker(n->peers), p);
	if (n->broker && n->saver)
		saver_set_peers(n->saver, n->peers, n->broker);
	if (n->saver) /* the first set of joint servers */
		n->saver->prepared = c->peers == NET_PEERS_SHARED;
	ret = n->broker ? peers_start_servers(n->peers, n->broker, p) : -1;
	if (n->saver)
		n->saver->prepared = false;
	if (ret)
		network_end(n);
	return ret;
}

void network_serve(struct network *n, struct sut *s)
{
	struct wire_net *net = &s->worker->net;

	if (n->broker) {
		broker_serve(n->broker, net);
		n->gave_up |= net->status == NET_ERROR_TOOL && n->interrupted();
	} else {
		net->status = NET_ERROR_TOOL;
		snprintf(net->text, sizeof(net->text), "the runtime asks for a peer, and there is no broker");
	}
	sut_answer(s);
}

void network_report(struct network *n, struct outcome_checkpoints *o)
{
	if (n->saver)
		saver_report(n->saver, o);
}

u64 network_peers(const struct network *n)
{
	return n->peers ? peers_running(n->peers) : 0;
}

void network_end(struct network *n)
{
	if (n->broker)
		broker_free(n->broker);
	saver_free(n->saver);
	if (n->peers)
		peers_end(n->peers);
	memset(n, 0, sizeof(*n));
}
