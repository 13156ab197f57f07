import { optionalResources } from '../../../engine/contract/registry.ts';
import { acceptInvitations } from '../../../engine/db/commerce/team.ts';
import { createApi } from '../../../engine/http/app.ts';
import { Dispatcher } from '../../../engine/jobs/webhooks/dispatch.ts';
import type { Actor } from '../../../sample/actors.ts';
import { merchant, numbered } from '../../../sample/commerce/world.ts';
import { keyOf } from './api-keys.ts';
import type { MakeRecording, Recording } from './example-inputs.ts';
import { addressOf, NOW, type SampleApi } from './sample-api.ts';

/** Resources that `DESIGNED_METHODS` enables, all of them. */
export const allEnabled = { enabled: new Set(optionalResources) } as const;

const harbor = merchant('harbor-roasters');
const northlight = merchant('northlight-studio');

const distributor = ({ actors }: SampleApi, number: number) =>
  numbered(actors.distributors, number);

const clientOf = ({ fixture }: SampleApi, actor: Actor) =>
  fixture.signingClientAs(addressOf(actor), allEnabled);

/**
 * A successful request of each optional method, over the sample, with all of them enabled. They are recorded in
 * this order, after those of the live methods.
 */
export const optionalExampleInputs: Readonly<Record<string, MakeRecording>> = {
  'team.invite': (sample) => ({
    as: harbor,
    isConfirmed: true,
    body: { address: addressOf(distributor(sample, 1)), role: 'viewer' },
  }),
  'team.updateRole': async (sample) => ({
    as: harbor,
    isConfirmed: true,
    params: { id: await memberOf(sample) },
    body: { role: 'analyst' },
  }),
  'team.members': () => ({ as: harbor }),
  'team.mine': async (sample) => {
    await accept(sample, distributor(sample, 1));
    return { as: distributor(sample, 1) };
  },
  'team.audit': () => ({ as: harbor, query: { limit: 2 } }),
  'team.remove': async (sample) => ({ as: harbor, params: { id: await memberOf(sample) } }),
  'team.transferOwnership': async (sample) => {
    const successor = distributor(sample, 2);
    const { team } = await clientOf(sample, northlight);
    await team.invite({ address: addressOf(successor), role: 'admin' });
    await accept(sample, successor);
    return { as: northlight, isConfirmed: true, body: { address: addressOf(successor) } };
  },
  'apiKeys.create': () => ({
    as: harbor,
    isConfirmed: true,
    body: {
      name: 'Shop backend',
      scopes: ['orders.read', 'disputes.write'],
      addresses: ['203.0.113.0/24'],
    },
  }),
  'apiKeys.list': () => ({ as: harbor }),
  'apiKeys.usage': async (sample) => ({ as: harbor, params: { id: await usedKey(sample) } }),
  'apiKeys.rotate': async (sample) => ({
    as: harbor,
    isConfirmed: true,
    params: { id: await newestKey(sample) },
    body: { overlapSeconds: 3_600 },
  }),
  'apiKeys.revoke': async (sample) => ({ as: harbor, params: { id: await newestKey(sample) } }),
  'webhooks.create': () => ({
    as: harbor,
    isConfirmed: true,
    body: {
      url: 'https://shop.example/hooks/tributary',
      events: ['sale.recorded@finalized', 'dispute.*'],
    },
  }),
  'webhooks.list': () => ({ as: harbor }),
  'webhooks.test': ofEndpoint(),
  'webhooks.deliveries': async (sample) => {
    await send(sample);
    return { ...(await ofEndpoint()(sample)), query: { limit: 2 } };
  },
  'webhooks.delivery': ofDelivery,
  'webhooks.replay': ofDelivery,
  'webhooks.replayRange': ofEndpoint({
    range: { from: new Date(NOW - 86_400_000).toISOString(), to: new Date(NOW).toISOString() },
  }),
  'webhooks.update': confirmed(ofEndpoint({ events: ['sale.*@safe'], ordered: true })),
  'webhooks.rotateSecret': confirmed(ofEndpoint()),
  'webhooks.remove': ofEndpoint(),
  'notifications.setPreferences': () => ({
    as: harbor,
    isConfirmed: true,
    body: { email: 'orders@shop.example', kinds: ['refund_requested', 'report_ready'] },
  }),
  'notifications.preferences': () => ({ as: harbor }),
};

/** The newest member of the team that `team.invite` began. */
async function memberOf(sample: SampleApi): Promise<string> {
  const { data } = await (await clientOf(sample, harbor)).team.members();
  return data.at(-1)?.id ?? '';
}

/** Accepts the invitations of an account, as its sign-in does. */
async function accept({ fixture }: SampleApi, actor: Actor): Promise<void> {
  await acceptInvitations(fixture.pool, addressOf(actor), new Date(fixture.deps.clock()));
}

async function newestKey(sample: SampleApi): Promise<string> {
  const { data } = await (await clientOf(sample, harbor)).apiKeys.list();
  return data[0]?.id ?? '';
}

/** Id of a key that was used once. */
async function usedKey(sample: SampleApi): Promise<string> {
  const { fixture } = sample;
  const key = await keyOf(fixture, addressOf(harbor), { scopes: ['orders.read'] });
  const { app, usage } = createApi({ ...fixture.deps, ...allEnabled });
  const headers = { authorization: `Bearer ${key}`, 'x-request-id': 'req-1' };
  const response = await app.request('/v1/merchant/orders?limit=1', { headers });
  if (!response.ok) throw new Error(`The key was refused: ${await response.text()}`);
  await usage.flush();
  return await newestKey(sample);
}

/** A request about the endpoint that the example of `webhooks.create` made. */
function ofEndpoint(body?: Readonly<Record<string, unknown>>): MakeRecording {
  return async (sample) => {
    const { data } = await (await clientOf(sample, harbor)).webhooks.list();
    return { as: harbor, params: { id: data[0]?.id ?? '' }, ...(body && { body }) };
  };
}

/** The same request with a fresh signature. */
function confirmed(make: MakeRecording): MakeRecording {
  return async (sample) => ({ ...(await make(sample)), isConfirmed: true });
}

/** A request about the delivery that the example of `webhooks.test` made. */
async function ofDelivery(sample: SampleApi): Promise<Recording> {
  const { webhooks } = await clientOf(sample, harbor);
  const [endpoint] = (await webhooks.list()).data;
  const { data } = await webhooks.deliveries({ id: endpoint?.id ?? '' });
  return { as: harbor, params: { id: data.items.at(-1)?.id ?? '' } };
}

/** Sends what is due to a receiver that takes it. */
async function send({ fixture }: SampleApi): Promise<void> {
  const { pool, keys, logger, clock } = fixture.deps;
  const answer = { status: 204, retryAfterSeconds: null, excerpt: '', ms: 12 } as const;
  const dispatcher = new Dispatcher({
    ...{ pool, keys, clock, log: logger, random: () => 0.5 },
    sender: { send: async () => ({ kind: 'answered', ...answer }) },
  });
  await dispatcher.begin();
  await dispatcher.idle();
}
