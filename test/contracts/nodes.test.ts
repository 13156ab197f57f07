import { describe, expect, it } from 'vitest';
import { joinArgs } from './calls.ts';
import { createCampaign, joinPath } from './scenes.ts';
import { by, genesisTime, refusal, sent, states, useWorld } from './support.ts';

const world = useWorld();

describe('join', () => {
  it('adds a root, and a node under it, owned by the caller', async () => {
    const w = world();
    await createCampaign(w);
    const [root, child] = w.nodes;
    const first = await sent(w, w.commerce.write.join(await joinArgs(w, 1n, 0n), by(root)));
    const second = await sent(w, w.commerce.write.join(await joinArgs(w, 1n, 1n), by(child)));
    expect([...first.events, ...second.events]).toEqual([
      { name: 'NodeJoined', args: { campaignId: 1n, nodeId: 1n, parentNodeId: 0n, owner: root } },
      { name: 'NodeJoined', args: { campaignId: 1n, nodeId: 2n, parentNodeId: 1n, owner: child } },
    ]);
    const node = { campaignId: 1n, parentNodeId: 1n, owner: child };
    expect(await w.commerce.read.node([2n])).toEqual(node);
    expect(await w.commerce.read.campaign([1n])).toMatchObject({ nodeCount: 2n });
  });

  it('works before the campaign is funded and before it starts', async () => {
    const w = world();
    await createCampaign(w, { startsAt: genesisTime + 1_000_000n });
    expect(await w.commerce.read.campaignState([1n])).toBe(states.unfunded);
    expect(await joinPath(w, 1n, w.nodes.slice(0, 1))).toEqual([1n]);
  });

  it('lets one account hold several nodes', async () => {
    const w = world();
    await createCampaign(w);
    const [a] = w.nodes;
    expect(await joinPath(w, 1n, [a, a, a])).toEqual([1n, 2n, 3n]);
    expect(await w.commerce.read.node([3n])).toEqual({
      campaignId: 1n,
      parentNodeId: 2n,
      owner: a,
    });
  });

  it('counts nodes over all campaigns, and refuses the node of another', async () => {
    const w = world();
    await createCampaign(w);
    await createCampaign(w);
    await joinPath(w, 1n, w.nodes.slice(0, 1));
    expect(await joinPath(w, 2n, w.nodes.slice(0, 1))).toEqual([2n]);
    const as = { account: w.stranger };
    for (const parent of [1n, 3n]) {
      expect(await refusal(w.commerce.simulate.join(await joinArgs(w, 2n, parent), as))).toEqual({
        error: 'UnknownNode',
        values: [2n, parent],
      });
    }
    expect(await refusal(w.commerce.simulate.join(await joinArgs(w, 3n, 0n), as))).toEqual({
      error: 'UnknownCampaign',
      values: [3n],
    });
  });

  it('refuses nodes beyond the capacity until it is raised', async () => {
    const w = world();
    await createCampaign(w, { nodeCapacity: 1n });
    await joinPath(w, 1n, w.nodes.slice(0, 1));
    const as = { account: w.stranger };
    expect(await refusal(w.commerce.simulate.join(await joinArgs(w, 1n, 0n), as))).toEqual({
      error: 'NodeCapacityReached',
      values: [1n, 1n],
    });
    await sent(w, w.commerce.write.raiseCapacity([1n, 2n, 100n], by(w.merchant)));
    expect(await joinPath(w, 1n, w.nodes.slice(0, 1))).toEqual([2n]);
  });

  it('limits each account to 25 nodes if the merchant sets no limit', async () => {
    const w = world();
    await createCampaign(w);
    const [a, b] = w.nodes;
    await joinPath(w, 1n, Array<typeof a>(25).fill(a));
    const { read, simulate } = w.commerce;
    expect(await read.nodeCountOf([1n, a])).toBe(25n);
    const place = await joinArgs(w, 1n, 0n);
    expect(await refusal(simulate.join(place, { account: a }))).toEqual({
      error: 'NodesPerAccountReached',
      values: [1n, a, 25],
    });
    expect(await joinPath(w, 1n, [b])).toEqual([26n]);
  });

  it('counts the nodes of an account by campaign, up to the limit that the merchant set', async () => {
    const w = world();
    await createCampaign(w, { nodesPerAccount: 1 });
    await createCampaign(w, { nodesPerAccount: 2 });
    const [a] = w.nodes;
    await joinPath(w, 1n, [a]);
    await joinPath(w, 2n, [a, a]);
    const { read, simulate } = w.commerce;
    for (const [campaignId, limit] of [
      [1n, 1],
      [2n, 2],
    ] as const) {
      const place = await joinArgs(w, campaignId, 0n);
      expect(await refusal(simulate.join(place, { account: a }))).toEqual({
        error: 'NodesPerAccountReached',
        values: [campaignId, a, limit],
      });
    }
    expect(await read.campaign([1n])).toMatchObject({ nodesPerAccount: 1, nodeCount: 1n });
  });

  it('refuses every node if the capacity is zero', async () => {
    const w = world();
    await createCampaign(w, { nodeCapacity: 0n });
    const call = w.commerce.simulate.join(await joinArgs(w, 1n, 0n), { account: w.stranger });
    expect(await refusal(call)).toEqual({ error: 'NodeCapacityReached', values: [1n, 0n] });
  });

  it('accepts only allowed accounts in an invite-only campaign', async () => {
    const w = world();
    const [guest] = w.nodes;
    await createCampaign(w, { inviteOnly: true });
    const refused = { error: 'DistributorNotAllowed', values: [1n, guest] };
    const as = { account: guest };
    expect(await refusal(w.commerce.simulate.join(await joinArgs(w, 1n, 0n), as))).toEqual(refused);
    await sent(w, w.commerce.write.allowDistributor([1n, guest, true], by(w.merchant)));
    await joinPath(w, 1n, [guest]);
    await sent(w, w.commerce.write.allowDistributor([1n, guest, false], by(w.merchant)));
    expect(await refusal(w.commerce.simulate.join(await joinArgs(w, 1n, 1n), as))).toEqual(refused);
    expect(await w.commerce.read.node([1n])).toMatchObject({ owner: guest });
  });
});
