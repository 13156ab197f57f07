import type { ContractReader } from '../../../engine/chain/contract-reader.ts';
import type { Pool } from '../../../engine/db/connection.ts';
import { campaignsDue, readHeads, type SettledBlock } from '../../../engine/db/heads.ts';
import { getSale } from '../../../engine/db/read/sales/receipt.ts';
import { finalityOf, readLedger } from '../../../engine/db/read/snapshot.ts';
import { audit } from '../../../engine/settlement/audit.ts';
import { ledgerDifferences } from '../check/compare.ts';
import { SimulationFailure } from '../failure.ts';
import type { VirtualChain } from './chain.ts';
import type { ChainFold } from './fold.ts';

/** Sales that a reorg took away, of which answers are read at each observation. */
const MAX_SUSPECTS = 4;

/** All that has to hold while a simulated chain is settled, and when it is. */
export class VirtualChecks {
  /** Campaigns with poisoned facts: no other campaign may be affected. */
  readonly poisoned = new Set<string>();
  /** While the RPC lies about hashes: the settled block is then what it says, until it is right. */
  lied = false;
  #settled: SettledBlock | null = null;
  #suspects: number[] = [];
  #observations = 0;
  /** Answers of single sales that were read. */
  reads = 0;

  constructor(
    readonly pool: Pool,
    readonly chain: VirtualChain,
    readonly fold: ChainFold,
  ) {}

  /** Sales that a reorg has just taken away: nothing may call them final. */
  suspect(saleIds: readonly number[]): void {
    this.#suspects = [...saleIds.slice(-50), ...this.#suspects].slice(0, 200);
  }

  /**
   * Checks the invariants of every moment: digests are those of the chain or of a previous fork, the
   * settled block moves back only in a reorg, and no orphaned sale is called final.
   * @throws {SimulationFailure} if one does not hold.
   */
  async observe(): Promise<void> {
    this.#observations += 1;
    const heads = await readHeads(this.pool);
    const settled = heads?.settled ?? null;
    if (!this.lied) this.#checkSettled(settled);
    this.#settled = this.lied ? null : settled;
    await this.#checkCursors();
    if (settled !== null && !this.lied) await this.#checkAnswers(settled);
  }

  /** Whether everything is settled up to the head. */
  async atHead(): Promise<boolean> {
    const heads = await readHeads(this.pool);
    const { head } = this.chain;
    if (heads?.settled?.hash !== head.hash) return false;
    return (await campaignsDue(this.pool, head.timestamp)).length === 0;
  }

  /** Why the settled block may be below the head, for a failure's message. */
  async lagReason(): Promise<string> {
    const heads = await readHeads(this.pool);
    const stopped = await this.#stopped();
    const errors = await this.pool<{ message: string }[]>`select message from ledger.feeder_error`;
    return [
      `the settled block is ${heads?.settled?.number ?? 'none'} and the head ${this.chain.head.number}`,
      ...stopped.slice(0, 3).map(({ id, reason }) => `campaign ${id} is stopped: ${reason}`),
      ...errors.map(({ message }) => message),
    ].join('; ');
  }

  /**
   * Checks the ledger once everything is settled: it equals the fold in memory.
   * @param whole true to run the audit against the contract's own accounts as well.
   * @throws {SimulationFailure} with the first differences.
   */
  async check(whole: boolean): Promise<void> {
    const { pool, fold, chain, poisoned } = this;
    const stopped = (await this.#stopped()).filter(({ id }) => !poisoned.has(id));
    refuse(
      'stopped campaigns',
      stopped.map(({ id, reason }) => `campaign ${id}: ${reason}`),
    );
    const expected = fold.expected();
    refuse('the ledger', await ledgerDifferences(pool, expected, chain.head.timestamp, poisoned));
    const errors = await pool<{ message: string }[]>`select message from ledger.feeder_error`;
    refuse(
      'alarms',
      errors.map(({ message }) => message),
    );
    if (whole) refuse('the audit', await this.#audit());
  }

  #checkSettled(settled: SettledBlock | null): void {
    const before = this.#settled;
    if (settled !== null && !this.chain.known.has(settled.hash)) {
      throw new SimulationFailure(`the settled block ${settled.number} is of no fork of the chain`);
    }
    if (before === null || before.hash === settled?.hash) return;
    if (settled !== null && settled.number > before.number) return;
    if (this.chain.blocks[before.number]?.hash !== before.hash) return;
    throw new SimulationFailure(
      `the settled block went back from ${before.number} to ${settled?.number ?? 'none'} without a reorg`,
    );
  }

  async #checkCursors(): Promise<void> {
    const rows = await this.pool<{ id: string; seq: string; digest: `0x${string}` }[]>`
      select campaign_id as id, seq, digest from ledger.cursor where seq > 0`;
    for (const { id, seq, digest } of rows) {
      if (this.fold.known.has(digest) || this.poisoned.has(id)) continue;
      throw new SimulationFailure(`campaign ${id} is at event ${seq} with a digest of no fork`);
    }
  }

  async #checkAnswers(settled: SettledBlock): Promise<void> {
    const { sales } = this.chain.contract;
    const at = this.#observations * 7_919;
    const orphaned = Array.from(
      { length: Math.min(MAX_SUSPECTS, this.#suspects.length) },
      (_, i) => this.#suspects[(at + i) % this.#suspects.length],
    );
    const canonical = this.chain.blocks[settled.number]?.hash === settled.hash;
    const sale = sales[at % Math.max(1, sales.length)];
    const wanted =
      canonical && sale !== undefined && sale.recordedBlock <= settled.number ? sale : undefined;
    for (const id of [...orphaned, wanted?.id]) {
      if (id !== undefined) await this.#checkAnswer(id, id === wanted?.id);
    }
  }

  async #checkAnswer(saleId: number, mustBeThere: boolean): Promise<void> {
    this.reads += 1;
    const { answer, finality } = await readLedger(this.pool, async (snapshot) => {
      const found = await getSale(snapshot, String(saleId));
      return {
        answer: found,
        finality: found && finalityOf(snapshot.head, found.newestBlock, found.campaignId),
      };
    });
    const campaign = this.chain.contract.sales[saleId - 1]?.campaign.id ?? '';
    if (answer === undefined) {
      if (!mustBeThere || this.poisoned.has(campaign)) return;
      throw new SimulationFailure(`sale ${saleId} is missing below the settled block`);
    }
    const { record, recordedBlockHash } = answer;
    const onChain = this.chain.blocks[record.blockNumber]?.hash === recordedBlockHash;
    if (onChain || this.poisoned.has(answer.campaignId)) return;
    if (finality === 'finalized') {
      throw new SimulationFailure(`sale ${saleId} is orphaned, and called final`);
    }
  }

  async #stopped(): Promise<{ id: string; reason: string }[]> {
    return await this.pool<{ id: string; reason: string }[]>`
      select campaign_id as id, stopped_reason as reason from ledger.cursor
      where stopped_at is not null`;
  }

  async #audit(): Promise<string[]> {
    const { violations } = await audit(this.pool, this.#contract());
    const tokens = new Set(
      [...this.poisoned].map((id) => this.chain.contract.campaign(id).token.address),
    );
    return violations
      .filter(({ campaignId }) => !this.poisoned.has(campaignId))
      .filter(({ subject }) => ![...tokens].some((token) => token === subject))
      .map((violation) => JSON.stringify(violation));
  }

  /** The simulated contract's own accounts: the audit compares the ledger with them. */
  #contract(): ContractReader {
    const { chain } = this;
    const { campaigns } = chain.contract;
    return {
      campaignLedgers: async (ids) => ids.map((id) => chain.contract.campaign(id).ledger),
      obligations: async (tokens) =>
        tokens.map(
          (token) =>
            campaigns.find((campaign) => campaign.token.address === token)?.token.obligations ?? 0n,
        ),
      attesterLimits: async (attesters) =>
        attesters.map(({ campaignId, account }) => {
          const attester = chain.contract.campaign(campaignId).attesters.get(account);
          if (attester === undefined) throw new Error(`${account} may attest nothing`);
          const { perOrder, daily, expiry, day, attested } = attester;
          const isToday = day === Math.floor(chain.contract.now / 86_400);
          const attestedToday = isToday ? attested : 0n;
          return { perOrder, daily, expiry: BigInt(expiry), attestedToday };
        }),
      tokenBalance: async (token) =>
        campaigns.find((campaign) => campaign.token.address === token)?.token.balance ?? 0n,
      blockHash: async (number) => chain.blocks[number]?.hash ?? null,
    };
  }
}

function refuse(where: string, differences: readonly string[]): void {
  if (differences.length === 0) return;
  const more = differences.length > 3 ? ` (and ${differences.length - 3} more)` : '';
  throw new SimulationFailure(`${where}: ${differences.slice(0, 3).join('; ')}${more}`);
}
