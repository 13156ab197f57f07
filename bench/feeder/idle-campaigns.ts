import type { Fact } from '../../engine/core/events.ts';
import type { Pool } from '../../engine/db/connection.ts';
import { setIndexerSchema } from '../../engine/db/heads.ts';
import { byteaText } from '../../engine/db/hex.ts';
import { eventId, hash } from '../../test/support/history.ts';
import { FakeChain, IndexerTable } from '../../test/support/indexer-table.ts';

const SCHEMA = 'indexer_bench';
/** All idle campaigns have their one event here, and it is final. */
const FIRST_BLOCK = 1_000;
const FIRST_TIME = 1_700_000_000;

/** Columns of a journal row that the benchmark does not vary. */
const JOURNAL = {
  ...{ transaction_index: 0, log_index: 0, name: 'CampaignPaused', sale_id: null },
  ...{ args: {}, digest: byteaText(hash('digest')) },
  ...{ funded: false, paused: true, ended: false, price: 1, node_capacity: 1, sale_capacity: 1 },
  ...{ net_deposited: 0, available: 0, pending_reserved: 0, vested_unclaimed: 0 },
  ...{ rewards_claimed: 0, surplus_withdrawn: 0, proceeds_pending: 0, proceeds_claimable: 0 },
  ...{ proceeds_claimed: 0, buyer_refunded: 0, credit_outstanding: 0, pending_count: 0 },
  ...{ finalized_count: 0, refunded_count: 0, reversed_count: 0, node_count: 0 },
};

/** A ledger of campaigns that were settled long ago, and a chain on which one of them has an event now and then. */
export class IdleCampaigns {
  readonly chain = new FakeChain();
  readonly #table: IndexerTable;
  #block = FIRST_BLOCK;

  private constructor(
    readonly pool: Pool,
    readonly campaigns: number,
  ) {
    this.#table = new IndexerTable(pool, SCHEMA);
  }

  static async make(pool: Pool, campaigns: number): Promise<IdleCampaigns> {
    const idle = new IdleCampaigns(pool, campaigns);
    await idle.#table.create();
    await setIndexerSchema(pool, SCHEMA);
    idle.chain.setHead(FIRST_BLOCK, FIRST_TIME, hash(`block ${FIRST_BLOCK}`));
    await idle.#fill();
    const head = { number: FIRST_BLOCK, timestamp: FIRST_TIME };
    await idle.#table.setHead(head, head);
    return idle;
  }

  /** A new block with an event of each of these campaigns, indexed and not yet seen by the feeder. */
  async nextBlock(campaignIds: readonly number[]): Promise<void> {
    this.#block += 1;
    const timestamp = FIRST_TIME + this.#block;
    const facts = campaignIds.map(
      (campaignId, logIndex): Fact<'CampaignPaused'> => ({
        ...{ campaignId: String(campaignId), id: eventId(timestamp, this.#block, logIndex) },
        ...{ blockNumber: this.#block, blockHash: hash(`block ${this.#block}`), timestamp },
        ...{ transactionHash: hash(`transaction ${this.#block}`), logIndex },
        ...{ name: 'CampaignPaused', args: {} },
      }),
    );
    await this.#table.insert(facts);
    const final = { number: FIRST_BLOCK, timestamp: FIRST_TIME };
    await this.#table.setHead({ number: this.#block, timestamp }, final);
    this.chain.follow(facts);
  }

  /** Records the events of the newest block as folded, as a worker does. */
  async fold(campaignIds: readonly number[]): Promise<void> {
    for (const [logIndex, campaignId] of campaignIds.entries()) {
      await this.#foldOne(campaignId, logIndex);
    }
  }

  async #foldOne(campaignId: number, logIndex: number): Promise<void> {
    const timestamp = FIRST_TIME + this.#block;
    const at = {
      ...{ block_number: this.#block, log_index: logIndex },
      ...{ block_hash: hash(`block ${this.#block}`) },
    };
    await this.pool.begin(async (sql) => {
      await sql`
        insert into ledger.journal select j.* from ledger.cursor c cross join lateral
          jsonb_populate_record(null::ledger.journal, ${JSON.stringify({
            ...{ ...JOURNAL, ...at, block_timestamp: timestamp },
            block_hash: byteaText(at.block_hash),
            transaction_hash: byteaText(hash(`transaction ${this.#block}`)),
          })}::text::jsonb || jsonb_build_object('campaign_id', c.campaign_id, 'seq', c.seq + 1)) j
        where c.campaign_id = ${campaignId}`;
      await sql`
        update ledger.cursor set seq = seq + 1, block_number = ${at.block_number},
          log_index = ${at.log_index}, block_hash = ${at.block_hash}
        where campaign_id = ${campaignId}`;
    });
  }

  /** One event of each campaign, folded, published and final. */
  async #fill(): Promise<void> {
    const { pool, campaigns } = this;
    const block = hash(`block ${FIRST_BLOCK}`);
    const transaction = hash(`transaction ${FIRST_BLOCK}`);
    const ids = pool`generate_series(1, ${campaigns}::int) n`;
    await pool`
      insert into ${pool(SCHEMA)}.chain_event
      select ${FIRST_BLOCK}, ${FIRST_TIME}, 0, 0, n, ${block}, ${transaction}, 'CampaignPaused', '{}'
      from ${ids}`;
    await pool`
      insert into ledger.cursor (campaign_id, seq, block_number, log_index, block_hash, digest, clock)
      select n, 1, ${FIRST_BLOCK}, 0, ${block}, ${hash('digest')}, ${FIRST_TIME} from ${ids}`;
    await pool`
      insert into ledger.journal select j.* from ${ids} cross join lateral
        jsonb_populate_record(null::ledger.journal, ${JSON.stringify({
          ...{ ...JOURNAL, seq: 1, block_number: FIRST_BLOCK },
          ...{ block_hash: byteaText(block), block_timestamp: FIRST_TIME },
          transaction_hash: byteaText(transaction),
        })}::text::jsonb || jsonb_build_object('campaign_id', n)) j`;
    await pool`insert into ledger.published_seq select n, 1 from ${ids}`;
    await pool`
      insert into ledger.checked_head
        (indexer_schema, number, hash, timestamp, final_number, final_timestamp)
      values (${SCHEMA}, ${FIRST_BLOCK}, ${block}, ${FIRST_TIME}, ${FIRST_BLOCK}, ${FIRST_TIME})`;
    await pool`
      update ledger.head set settled_number = ${FIRST_BLOCK}, settled_hash = ${block},
        settled_timestamp = ${FIRST_TIME}`;
    await pool`vacuum (analyze)`;
  }
}
