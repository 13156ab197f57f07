import { readFileSync } from 'node:fs';
import type { AbiParameter } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import { DigestEvent, DigestPage } from '../../engine/contract/shapes/digest.ts';
import { canonicalEvent } from '../../engine/core/digest.ts';
import { readEvent } from '../../engine/core/events.ts';
import { verifyDigestProof } from '../../engine/core/merkle.ts';
import { campaignDigests, merkleRoot, provenRoot } from '../support/digest-by-the-page.ts';
import { randomHistory } from '../support/history.ts';
import { keccak } from '../support/ledger.ts';
import { ApiFixture } from './support/api-fixture.ts';

const Campaign = DigestPage.shape.items.element.pick({ campaignId: true, digest: true });
const Proof = DigestPage.shape.proof.unwrap();
const VectorEvent = DigestEvent.pick({
  eventId: true,
  blockHash: true,
  event: true,
  entries: true,
  credit: true,
  standing: true,
  digest: true,
}).extend({ recordBytes: z.int() });
const Vectors = z.strictObject({
  about: z.string(),
  campaigns: z.array(z.strictObject({ campaignId: z.string(), events: z.array(VectorEvent) })),
  roots: z.array(
    z.strictObject({
      campaigns: z.array(Campaign),
      root: z.string(),
      proofs: z.array(z.strictObject({ campaignId: z.string(), proof: Proof })),
    }),
  ),
});

const file = new URL('../vectors/digest.json', import.meta.url);
const vectors = Vectors.parse(JSON.parse(readFileSync(file, 'utf8')));

describe('the vectors of docs/reference/digest.md', () => {
  it('computes the vectors of docs/reference/digest.md with an implementation that was written from the page alone', () => {
    for (const { events } of vectors.campaigns) {
      expect(campaignDigests(events)).toEqual(events.map(({ digest }) => digest));
    }
    for (const { campaigns, root, proofs } of vectors.roots) {
      expect(merkleRoot(campaigns)).toBe(root);
      for (const { campaignId, proof } of proofs) {
        const campaign = campaigns.find((one) => one.campaignId === campaignId);
        if (campaign === undefined) throw new Error('a proof is of one of them');
        expect(provenRoot(campaign, proof)).toBe(root);
        const hexes = z.array(
          Proof.element.extend({ hash: z.templateLiteral(['0x', z.string()]) }),
        );
        expect(
          verifyDigestProof(
            keccak,
            asHex(root),
            { ...campaign, digest: asHex(campaign.digest) },
            hexes.parse(proof),
          ),
        ).toBe(true);
      }
    }
  });

  it('covers every kind of entry and a credit in the vectors, with the event arguments of the ABI', () => {
    const events = vectors.campaigns.flatMap((one) => one.events);
    const kinds = events.flatMap(({ entries }) => entries.map(({ kind }) => kind));
    expect([...new Set(kinds)].sort()).toEqual(['claim', 'release', 'reserve', 'reverse', 'vest']);
    expect(events.filter(({ credit }) => credit !== null).length).toBeGreaterThan(0);
    for (const { event } of events) {
      const [name, ...args] = z.tuple([z.string()], z.unknown()).parse(JSON.parse(event));
      const item = referralCommerceAbi.find((one) => one.type === 'event' && one.name === name);
      const inputs = item?.type === 'event' ? item.inputs : [];
      const own = inputs.filter((input) => input.name !== 'campaignId');
      expect(args.length, name).toBe(own.length);
      const named = Object.fromEntries(
        own.map((input, i) => [input.name, namedBy(input, args[i])]),
      );
      expect(canonicalEvent(readEvent(name, named))).toBe(event);
      expect(event).not.toMatch(/": | "/);
    }
  });
});

describe('system.digest', () => {
  const facts = randomHistory({ seed: 12, steps: 220, campaigns: 5 });
  const blocks = [...new Set(facts.map(({ blockNumber }) => blockNumber))];
  const last = blocks.at(-1) ?? 0;
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(facts);
  });
  afterAll(() => fixture.close());

  /** All events of a campaign, over however many pages. */
  async function eventsOf(campaignId: string) {
    const client = fixture.client();
    const events = [];
    for await (const one of client.pages(client.system.digestEvents, { campaignId, limit: 37 })) {
      events.push(one);
    }
    return events;
  }

  it('recomputes system.digest from the events that system.digestEvents returns', async () => {
    const { data } = await fixture.client().system.digest({});
    expect(data).toMatchObject({
      block: String(last),
      campaigns: 5,
      proof: null,
      nextCursor: null,
    });
    for (const { campaignId, digest, sequence } of data.items) {
      const events = await eventsOf(campaignId);
      expect(events.map((one) => one.sequence)).toEqual(events.map((_, i) => i + 1));
      const digests = campaignDigests(events);
      expect(digests).toEqual(events.map((one) => one.digest));
      expect([digests.at(-1), events.length]).toEqual([digest, sequence]);
    }
    expect(data.root).toBe(merkleRoot(data.items));
  });

  it('returns as system.digest of a past block the root of a ledger that ends there', async () => {
    for (const part of [0.1, 0.5, 0.9]) {
      const block = blocks[Math.floor(blocks.length * part)] ?? 0;
      const fresh = await ApiFixture.open();
      await fresh.settle(facts.filter(({ blockNumber }) => blockNumber <= block));
      const atBlock = await fixture.client().system.digest({ block: String(block) });
      expect(atBlock.data).toEqual((await fresh.client().system.digest({})).data);
      await fresh.close();
    }
    const { data } = await fixture.client().system.digest({ block: '0' });
    expect(data).toMatchObject({ root: `0x${'00'.repeat(32)}`, campaigns: 0, items: [] });
  });

  it('proves at each block that a campaign is in the root', async () => {
    for (const block of [blocks[40], last]) {
      for (const campaignId of ['1', '3', '5']) {
        const { data } = await fixture.client().system.digest({ block: String(block), campaignId });
        const [item] = data.items;
        if (item === undefined || data.proof === null) throw new Error('it is there');
        expect(provenRoot(item, data.proof)).toBe(data.root);
      }
    }
  });

  it('returns no digest and no proof of an unknown campaign', async () => {
    for (const campaignId of ['6', 'demo-1', '9'.repeat(70)]) {
      const { data } = await fixture.client().system.digest({ campaignId });
      expect(data).toMatchObject({ items: [], proof: null, campaigns: 5 });
      const events = fixture.client().system.digestEvents({ campaignId });
      await expect(events).rejects.toMatchObject({ status: 404 });
    }
  });

  it('stays at the block of its first page while the settled block moves on', async () => {
    const { system } = fixture.client();
    const { data: whole } = await system.digest({});
    const first = await system.digest({ limit: 2 });
    await fixture.pool`update ledger.head set settled_number = settled_number + 1`;
    const second = await system.digest({ limit: 2, cursor: first.data.nextCursor ?? '' });
    const third = await system.digest({ limit: 2, cursor: second.data.nextCursor ?? '' });
    await fixture.pool`update ledger.head set settled_number = settled_number - 1`;
    expect(second.data.block).toBe(first.data.block);
    const items = [first, second, third].flatMap(({ data }) => data.items);
    expect(items).toEqual(whole.items);
    expect(third.data.nextCursor).toBeNull();
  });

  it('rejects a block that is not settled, by its number', async () => {
    const above = fixture.client().system.digest({ block: String(last + 1) });
    await expect(above).rejects.toMatchObject({ status: 400, issues: [{ path: 'block' }] });
  });

  it('shows no event above the settled block', async () => {
    const [middle = 0] = blocks.slice(-3);
    await fixture.pool`update ledger.head set settled_number = ${middle}`;
    for (const campaignId of ['1', '2', '3', '4', '5']) {
      const events = await eventsOf(campaignId);
      const until = facts.filter(
        (fact) => fact.campaignId === campaignId && fact.blockNumber <= middle,
      );
      expect(events.length).toBe(until.length);
    }
    await fixture.pool`update ledger.head set settled_number = ${last}`;
  });
});

/** A value of a canonical event with the names of its ABI; a struct is a list there. */
function namedBy(parameter: AbiParameter, value: unknown): unknown {
  if (!('components' in parameter) || !Array.isArray(value)) return value;
  return Object.fromEntries(
    parameter.components.map((part, i) => [part.name, namedBy(part, value[i])]),
  );
}

function asHex(text: string): `0x${string}` {
  return z.templateLiteral(['0x', z.string()]).parse(text);
}
