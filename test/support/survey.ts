import type { Client } from '../../engine/client/index.ts';
import type { Method } from '../../engine/contract/define.ts';
import { methods } from '../../engine/contract/registry.ts';
import { actorsOf } from '../../sample/actors.ts';
import { Accounts, type Site } from '../../sample/commerce/accounts.ts';
import {
  campaignIdOf,
  type MerchantSlug,
  merchant,
  numbered,
} from '../../sample/commerce/world.ts';
import { SAMPLE_SEED } from '../../sample/run-sample.ts';

/** Accounts of the sample that between them have something of everything. */
interface People {
  readonly harbor: Client;
  readonly northlight: Client;
  readonly distributor: Client;
  /** Waits for the answer to a request to join. */
  readonly asker: Client;
  readonly buyer: Client;
  readonly operator: Client;
}

type Input = Readonly<Record<string, unknown>>;

/** Methods whose caller does not follow from their path. */
const callers: Readonly<Record<string, keyof People>> = {
  'invitations.sent': 'northlight',
  'receipts.forBuyer': 'buyer',
  'checkout.getIntent': 'buyer',
  'checkout.getDetails': 'buyer',
  'checkout.prepareOrder': 'buyer',
  'intents.list': 'buyer',
  'refundRequests.list': 'buyer',
  'refundRequests.get': 'buyer',
  'links.stats': 'distributor',
  'joinRequests.mine': 'asker',
  'joinRequests.received': 'northlight',
  'invitations.get': 'northlight',
  'moderation.log': 'operator',
};

/** No campaign of the sample was prepared by the service, so none has metadata. */
const notInSample: ReadonlySet<string> = new Set(['metadata.get']);

/**
 * Asks every live GET method of the registry as one of the sample's accounts.
 * @returns the methods that answered with nothing, and how many were asked; where one refuses, the
 * error names it.
 */
export async function surveySample(site: Site): Promise<{ requested: number; empty: string[] }> {
  const accounts = new Accounts(site);
  const people = await peopleOf(accounts);
  const inputs = await inputsOf(people);
  const live = methods.filter(
    ({ method, availability, name }) =>
      method === 'GET' && availability === 'live' && !notInSample.has(name),
  );
  const empty: string[] = [];
  for (const method of live) {
    const input = inputOf(method, inputs);
    const data = await ask(people[callerOf(method)], method, input);
    if (isEmpty(data)) empty.push(method.name);
  }
  await accounts.leave();
  return { requested: live.length, empty };
}

/** What the buyer of a finalized sale of the icon library gets. */
export async function downloadSample(site: Site): Promise<string> {
  const accounts = new Accounts(site);
  const northlight = await accounts.as(merchant('northlight-studio'));
  const campaignId = campaignIdOf('icon-library-licence');
  const { data: sales } = await northlight.receipts.forMerchant({ campaignId, state: 'finalized' });
  const { buyers } = actorsOf(SAMPLE_SEED);
  for (const { saleId, buyer } of sales.items) {
    const actor = buyers.find(({ address }) => address.toLowerCase() === buyer);
    if (actor === undefined) continue;
    const { data } = await (await accounts.as(actor)).fulfillment.access({ saleId });
    await accounts.leave();
    const [file] = data.downloads;
    return file === undefined ? '' : await (await fetch(file.url)).text();
  }
  throw new Error('No buyer of the sample has a finalized sale of the icon library.');
}

async function peopleOf(accounts: Accounts): Promise<People> {
  const { distributors, buyers, operator } = actorsOf(SAMPLE_SEED);
  const shop = (slug: MerchantSlug) => accounts.as(merchant(slug));
  return {
    harbor: await shop('harbor-roasters'),
    northlight: await shop('northlight-studio'),
    distributor: await accounts.as(numbered(distributors, 1)),
    asker: await accounts.as(numbered(distributors, 3)),
    buyer: await accounts.as(numbered(buyers, 15)),
    operator: await accounts.as(operator),
  };
}

/** What placeholders and needed fields are filled with; `method.field` goes before `field`. */
async function inputsOf({
  harbor,
  northlight,
  distributor,
  buyer,
}: People): Promise<Map<string, string>> {
  const { data: links } = await distributor.links.mine({ campaignId: '1' });
  const { data: sales } = await harbor.receipts.forCampaign({ campaignId: '1' });
  const { data: disputes } = await harbor.disputes.list();
  const intent = await intentOf(buyer);
  const { data: requests } = await buyer.refundRequests.list({ limit: 1 });
  const { data: orders } = await harbor.orders.list({ limit: 1 });
  const { data: reports } = await harbor.reports.list({ limit: 1 });
  const { data: invitations } = await northlight.invitations.sent({ limit: 1 });
  const [order] = orders.items;
  const link = links.items[0];
  const sale = sales.items.find(({ nodeId }) => nodeId !== null);
  return new Map([
    ['chainId', '31337'],
    ['campaignId', '1'],
    ['saleId', sale?.saleId ?? ''],
    ['nodeId', link?.nodeId ?? ''],
    ['code', link?.code ?? ''],
    ['orderKey', order?.orderKey ?? ''],
    ['hash', sale?.tx.hash ?? ''],
    ['number', sale?.tx.blockNumber ?? ''],
    ['version', '1'],
    // By invitation only: others need no permission.
    ['permissions.list.campaignId', campaignIdOf('icon-library-licence')],
    ['versions.list.id', 'single-origin-subscription'],
    ['versions.get.id', 'single-origin-subscription'],
    ['q', link?.owner ?? ''],
    ['address', link?.owner ?? ''],
    ['addressOrHandle', 'kettle-and-cup'],
    ['slug', 'harbor-roasters'],
    ['kind', 'sales'],
    ['campaigns.getDraft.id', 'spring-blend'],
    ['products.get.id', 'barista-starter-kit'],
    ['disputes.get.id', disputes.items[0]?.id ?? ''],
    ['reports.get.id', reports.items[0]?.id ?? ''],
    ['invitations.get.id', invitations.items[0]?.id ?? ''],
    ['refundRequests.get.id', requests.items[0]?.id ?? ''],
    ['checkout.getIntent.id', intent],
    ['checkout.getDetails.id', intent],
    ['checkout.prepareOrder.id', intent],
  ]);
}

/** The intent of the purchase that the sample began: its order key finds it again. */
async function intentOf(buyer: Client): Promise<string> {
  const { data: purchases } = await buyer.receipts.forBuyer({ campaignId: '1', limit: 1 });
  const [sale] = purchases.items;
  if (sale === undefined) throw new Error('The buyer of the sample has no purchase.');
  const { data: receipt } = await buyer.receipts.get({
    chainId: sale.chainId,
    saleId: sale.saleId,
  });
  const { data: intent } = await buyer.checkout.createIntent({
    campaignId: sale.campaignId,
    orderKey: sale.orderKey,
    skuHash: sale.product.skuHash,
    nodeId: sale.nodeId ?? '0',
    maxAmount: sale.amount,
    minPolicyVersion: receipt.policy.version,
  });
  if (intent.state !== 'confirmed') throw new Error(`The sample’s intent is ${intent.state}.`);
  return intent.id;
}

function callerOf({ name, path }: Method): keyof People {
  return callers[name] ?? (path.startsWith('/v1/me/') ? 'distributor' : 'harbor');
}

function inputOf({ name, path, input }: Method, known: ReadonlyMap<string, string>): Input {
  const placeholders = [...path.matchAll(/:(\w+)/g)].map(([, field = '']) => field);
  const needed = Object.entries(input?.query?.shape ?? {})
    .filter(([, schema]) => !schema.safeParse(undefined).success)
    .map(([field]) => field);
  return Object.fromEntries(
    [...placeholders, ...needed].map((field) => {
      const value = known.get(`${name}.${field}`) ?? known.get(field);
      if (value === undefined) throw new Error(`${name} needs ${field}: add it to inputsOf.`);
      return [field, value];
    }),
  );
}

async function ask(client: Client, { name }: Method, input: Input): Promise<unknown> {
  const [resource = '', key = ''] = name.split('.');
  const call: unknown = Reflect.get(Reflect.get(client, resource), key);
  if (typeof call !== 'function') throw new Error(`The client has no ${name}.`);
  try {
    return (await call(input)).data;
  } catch (cause) {
    throw new Error(`${name} of ${JSON.stringify(input)}: ${cause}`, { cause });
  }
}

/** Whether a collection has no items, or another answer nothing at all. */
function isEmpty(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return true;
  const items: unknown = 'items' in data ? data.items : Object.values(data);
  return !Array.isArray(items) || items.length === 0;
}
