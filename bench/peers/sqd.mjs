/*
 * The same rows by a processor of SQD, as its documentation advises: a batched handler, a typed codec for each event,
 * and one COPY for each batch, which is faster than its own store. It reads the chain by RPC alone, and ends at a block.
 */
import { event, indexed } from '@subsquid/evm-abi';
import * as codecs from '@subsquid/evm-codec';
import { EvmBatchProcessor } from '@subsquid/evm-processor';
import postgres from 'postgres';
import { toEventSelector, toEventSignature } from 'viem';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';

const { DATABASE_URL, RPC_URL, CONTRACT_ADDRESS, START_BLOCK, END_BLOCK } = process.env;
const COLUMNS = [
  ...['campaign_id', 'block_number', 'block_hash', 'block_timestamp', 'transaction_hash'],
  ...['transaction_index', 'log_index', 'name', 'args'],
];

const scalars = new Map(Object.entries(codecs));

const events = new Map(
  referralCommerceAbi.filter(isOfCampaign).map((item) => {
    const params = item.inputs.map((input) => {
      const codec = codecOf(input);
      return [input.name, input.indexed ? indexed(codec) : codec];
    });
    const decoder = event(
      toEventSelector(item),
      toEventSignature(item),
      Object.fromEntries(params),
    );
    return [toEventSelector(item), { item, decoder }];
  }),
);

/** The codec of an ABI parameter. */
function codecOf({ type, components }) {
  const array = /^(.*)\[(\d*)\]$/.exec(type);
  if (array) {
    const [, element, length] = array;
    const codec = codecOf({ type: element, components });
    return length === '' ? codecs.array(codec) : codecs.fixedSizeArray(codec, Number(length));
  }
  if (components === undefined) return scalars.get(type);
  return codecs.struct(Object.fromEntries(components.map((one) => [one.name, codecOf(one)])));
}

const sql = postgres(DATABASE_URL, { max: 1, onnotice: () => {} });

/** The rows, with the position of the processor in the same transaction. */
const database = {
  supportsHotBlocks: false,
  async connect() {
    await sql`create table chain_event (
      campaign_id numeric(78), block_number bigint, block_hash text, block_timestamp bigint,
      transaction_hash text, transaction_index integer, log_index integer, name text, args json,
      primary key (campaign_id, block_number, log_index))`;
    await sql`create table position (height integer, hash text)`;
    await sql`insert into position values (-1, '0x')`;
    return { height: -1, hash: '0x' };
  },
  async transact({ nextHead }, write) {
    await sql.begin(async (transaction) => {
      await write(transaction);
      await transaction`update position set height = ${nextHead.height}, hash = ${nextHead.hash}`;
    });
  },
};

const range = { from: Number(START_BLOCK), to: Number(END_BLOCK) };
new EvmBatchProcessor()
  .setRpcEndpoint({ url: RPC_URL, capacity: 10, maxBatchCallSize: 100 })
  .setFinalityConfirmation(0)
  .setBlockRange(range)
  .setFields({
    block: { timestamp: true },
    log: { topics: true, data: true, transactionHash: true },
  })
  .addLog({ address: [CONTRACT_ADDRESS.toLowerCase()], topic0: [...events.keys()] })
  .run(database, async ({ blocks, store }) => {
    const lines = blocks.flatMap(({ header, logs }) => logs.map((log) => lineOf(header, log)));
    if (lines.length === 0) return;
    const into = await store`copy chain_event (${store(COLUMNS)}) from stdin`.writable();
    into.end(lines.join(''));
    await new Promise((resolve, reject) => into.on('finish', resolve).on('error', reject));
  });

function lineOf({ height, hash, timestamp }, log) {
  const { item, decoder } = events.get(log.topics[0]);
  const args = decoder.decode(log);
  const json = JSON.stringify(args, toJson).replaceAll('\\', '\\\\');
  const rest = [log.transactionIndex, log.logIndex, item.name];
  const block = [height, hash, Math.floor(timestamp / 1_000)];
  return `${[args.campaignId, ...block, log.transactionHash, ...rest, json].join('\t')}\n`;
}

function isOfCampaign({ type, inputs }) {
  return type === 'event' && inputs.some(({ name }) => name === 'campaignId');
}

/** As `src/encode.ts` has it: wide integers as digits. Addresses are in lower case already. */
function toJson(_key, value) {
  return typeof value === 'bigint' ? value.toString() : value;
}
