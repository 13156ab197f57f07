import { zeroAddress } from 'viem';
import type { BookNode, BookSale } from './book.ts';
import { createCampaign, type PlannedCampaign } from './campaign.ts';
import { merchantOf } from './cast.ts';
import { refund, sell } from './sales.ts';
import type { CampaignScript, Turn } from './script.ts';
import type { Story } from './story.ts';
import { takeTurn } from './turns.ts';

/** Of the nodes that do not make the longest path, how many are roots. */
const ROOTS = 0.15;

interface DueRefund {
  readonly at: number;
  readonly sale: BookSale;
  /** Base units; what is left of the sale where it is null. */
  readonly amount: bigint | null;
}

/** Plays one campaign's script, block by block: what is due happens, what cannot yet waits. */
export class CampaignPlan {
  campaign: PlannedCampaign | null = null;
  /** Sales that nobody will finalize. */
  readonly forgotten = new Set<BookSale>();
  #turns: readonly Turn[];
  /** Unix seconds, ascending. */
  readonly #joins: number[];
  readonly #sales: number[];
  #refunds: DueRefund[] = [];

  constructor(
    readonly story: Story,
    readonly script: CampaignScript,
    readonly seed: number,
  ) {
    const { nodes, sales, createdOnDay } = script;
    this.#turns = script.turns;
    const spine = Array.from({ length: nodes.depth }, (_, i) => createdOnDay + i / nodes.depth);
    const rest = nodes.count - nodes.depth;
    this.#joins = [
      ...spine.map((day) => story.timeOf(day)),
      ...this.#times(rest, createdOnDay + 1, nodes.untilDay),
    ];
    this.#sales = this.#times(sales.count, sales.fromDay, sales.untilDay);
  }

  /** What happens in the block that the story is at. */
  play(): void {
    const { story, script } = this;
    if (this.campaign === null) {
      if (story.now < story.timeOf(script.createdOnDay)) return;
      const merchant = merchantOf(this.seed, script.merchant);
      this.campaign = createCampaign(story, script, merchant);
    }
    this.#takeTurns(this.campaign);
    this.#join(this.campaign);
    this.#refund(this.campaign);
    this.#sell(this.campaign);
  }

  #takeTurns(campaign: PlannedCampaign): void {
    const { story } = this;
    this.#turns = this.#turns.filter(
      (turn) => story.now < story.timeOf(turn.day) || !takeTurn(story, campaign, turn),
    );
  }

  #join(campaign: PlannedCampaign): void {
    const { story } = this;
    const { id, termsHash, script, merchant, book } = campaign;
    while (campaign.open && book.nodes.length < campaign.nodeCapacity && this.#due(this.#joins)) {
      const owner = story.random.pick(story.cast.distributors);
      const parent = this.#parent(campaign);
      if (script.inviteOnly && !book.nodes.some((node) => node.owner === owner)) {
        story.commerce(merchant, `lets ${owner.name} join campaign ${id}`, {
          functionName: 'allowDistributor',
          args: [id, owner.address, true],
        });
      }
      story.last.node += 1n;
      const under = parent === null ? 'as a root' : `under node ${parent.id}`;
      story.commerce(owner, `joins campaign ${id} ${under} as node ${story.last.node}`, {
        functionName: 'join',
        args: [id, termsHash, parent?.id ?? 0n, parent?.owner.address ?? zeroAddress],
      });
      const depth = (parent?.depth ?? 0) + 1;
      book.nodes.push({ id: story.last.node, owner, parent, depth });
    }
  }

  /** The first nodes make the longest path, each under the one before; others join anywhere. */
  #parent({ script, book }: PlannedCampaign): BookNode | null {
    const { random } = this.story;
    if (book.nodes.length < script.nodes.depth) return book.nodes.at(-1) ?? null;
    if (random.chance(ROOTS)) return null;
    return random.pick(book.nodes.filter(({ depth }) => depth < script.nodes.depth));
  }

  #refund(campaign: PlannedCampaign): void {
    const due = this.#refunds.filter(({ at }) => at <= this.story.now);
    this.#refunds = this.#refunds.filter((each) => !due.includes(each));
    for (const { sale, amount } of due) {
      refund(this.story, campaign, sale, amount ?? sale.amount - sale.refunded);
    }
  }

  #sell(campaign: PlannedCampaign): void {
    const { book } = campaign;
    while (campaign.open && book.sales.length < campaign.saleCapacity && this.#due(this.#sales)) {
      this.#decide(sell(this.story, campaign, this.#seller(campaign)));
    }
  }

  /** Sales take turns over all depths that there are, the direct sale being depth 0. */
  #seller({ book }: PlannedCampaign): BookNode | null {
    const deepest = Math.max(0, ...book.nodes.map(({ depth }) => depth));
    const wanted = book.sales.length % (deepest + 1);
    if (wanted === 0) return null;
    return this.story.random.pick(book.nodes.filter(({ depth }) => depth === wanted));
  }

  /** What will become of a sale: most are kept, some come back in part or whole. */
  #decide(sale: BookSale): void {
    const { random, now } = this.story;
    const fate = random.fraction();
    const soon = () => now + Math.floor(random.fraction() * (sale.holdUntil - now));
    const part = (sale.amount * BigInt(5 + random.below(60))) / 100n + 1n;
    if (fate < 0.06) this.#refunds.push({ at: soon(), sale, amount: null });
    else if (fate < 0.13) this.#refunds.push({ at: soon(), sale, amount: part });
    else if (fate < 0.16) {
      const at = soon();
      this.#refunds.push({ at, sale, amount: part }, { at: at + 1, sale, amount: null });
    } else if (fate < 0.2) this.forgotten.add(sale);
  }

  /** Takes the first time of a list, where it has come. */
  #due(times: number[]): boolean {
    const [first] = times;
    if (first === undefined || first > this.story.now) return false;
    times.shift();
    return true;
  }

  #times(count: number, fromDay: number, untilDay: number): number[] {
    const { story } = this;
    return Array.from({ length: count }, () =>
      story.timeOf(fromDay + story.random.fraction() * (untilDay - fromDay)),
    ).sort((a, b) => a - b);
  }
}
