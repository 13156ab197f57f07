import { zeroAddress } from 'viem';
import type { Node, Sale } from '../engine/core/fold/index.ts';
import { merchantOf } from './actors.ts';
import { createCampaign, foldEvents, isOpen, type PlannedCampaign } from './campaign.ts';
import { performAction } from './merchant-actions.ts';
import { refund, sell } from './sales.ts';
import type { CampaignScenario, MerchantAction } from './scenario.ts';
import type { Timeline } from './timeline.ts';

/** Share of roots among the nodes that are not part of the longest path. */
const ROOTS = 0.15;

interface DueRefund {
  readonly at: number;
  readonly saleId: string;
  /** Base units; `null` refunds the rest of the sale. */
  readonly amount: bigint | null;
}

/** Plans one campaign block by block: what is due happens, what is not yet possible waits. */
export class CampaignTimeline {
  campaign: PlannedCampaign | null = null;
  /** Ids of sales that are never finalized. */
  readonly neverFinalized = new Set<string>();
  #actions: readonly MerchantAction[];
  /** Unix seconds, ascending. */
  readonly #joins: number[];
  readonly #sales: number[];
  #refunds: DueRefund[] = [];

  constructor(
    readonly timeline: Timeline,
    readonly scenario: CampaignScenario,
    readonly seed: number,
  ) {
    const { nodes, sales, createdOnDay } = scenario;
    this.#actions = scenario.actions;
    const spine = Array.from({ length: nodes.depth }, (_, i) => createdOnDay + i / nodes.depth);
    const rest = nodes.count - nodes.depth;
    this.#joins = [
      ...spine.map((day) => timeline.timeOf(day)),
      ...this.#times(rest, createdOnDay + 1, nodes.untilDay),
    ];
    this.#sales = this.#times(sales.count, sales.fromDay, sales.untilDay);
  }

  /** Adds the transactions of the current block. */
  advance(): void {
    const { timeline, scenario } = this;
    if (this.campaign === null) {
      if (timeline.now < timeline.timeOf(scenario.createdOnDay)) return;
      const merchant = merchantOf(this.seed, scenario.merchant);
      this.campaign = createCampaign(timeline, scenario, merchant);
    }
    this.#performActions(this.campaign);
    this.#join(this.campaign);
    this.#refund(this.campaign);
    this.#sell(this.campaign);
  }

  #performActions(campaign: PlannedCampaign): void {
    const { timeline } = this;
    this.#actions = this.#actions.filter(
      (action) =>
        timeline.now < timeline.timeOf(action.day) || !performAction(timeline, campaign, action),
    );
  }

  #join(campaign: PlannedCampaign): void {
    const { timeline } = this;
    const { id, termsHash, scenario, merchant } = campaign;
    const hasRoom = () => campaign.ledger.nodes.size < campaign.ledger.snapshot.nodeCapacity;
    while (isOpen(campaign) && hasRoom() && this.#due(this.#joins)) {
      const owner = timeline.random.pick(timeline.actors.distributors);
      const parent = this.#parent(campaign);
      const known = nodesOf(campaign).some((node) => node.owner === owner.address);
      if (scenario.inviteOnly && !known) {
        timeline.call(merchant, `lets ${owner.name} join campaign ${id}`, {
          functionName: 'allowDistributor',
          args: [id, owner.address, true],
        });
      }
      timeline.last.node += 1n;
      const nodeId = String(timeline.last.node);
      const parentNodeId = parent?.nodeId ?? '0';
      const under = parent === null ? 'as a root' : `under node ${parentNodeId}`;
      timeline.call(owner, `joins campaign ${id} ${under} as node ${nodeId}`, {
        functionName: 'join',
        args: [id, termsHash, BigInt(parentNodeId), parent?.owner ?? zeroAddress],
      });
      const args = { nodeId, parentNodeId, owner: owner.address };
      foldEvents(timeline, campaign, [{ name: 'NodeJoined', args }]);
    }
  }

  /** The first nodes form the longest path, each under the previous one; others join anywhere. */
  #parent(campaign: PlannedCampaign): Node | null {
    const { random } = this.timeline;
    const deepest = campaign.scenario.nodes.depth;
    const nodes = nodesOf(campaign);
    if (nodes.length < deepest) return nodes.at(-1) ?? null;
    if (random.chance(ROOTS)) return null;
    return random.pick(nodes.filter(({ depth }) => depth < deepest));
  }

  #refund(campaign: PlannedCampaign): void {
    const due = this.#refunds.filter(({ at }) => at <= this.timeline.now);
    this.#refunds = this.#refunds.filter((each) => !due.includes(each));
    for (const { saleId, amount } of due) refund(this.timeline, campaign, saleId, amount);
  }

  #sell(campaign: PlannedCampaign): void {
    const hasRoom = () => campaign.ledger.sales.size < campaign.ledger.snapshot.saleCapacity;
    while (isOpen(campaign) && hasRoom() && this.#due(this.#sales)) {
      this.#decide(sell(this.timeline, campaign, this.#seller(campaign)));
    }
  }

  /** Sales rotate through all depths; a sale without a link has depth 0. */
  #seller(campaign: PlannedCampaign): Node | null {
    const nodes = nodesOf(campaign);
    const deepest = Math.max(0, ...nodes.map(({ depth }) => depth));
    const depthWanted = campaign.ledger.sales.size % (deepest + 1);
    if (depthWanted === 0) return null;
    return this.timeline.random.pick(nodes.filter(({ depth }) => depth === depthWanted));
  }

  /** Decides the fate of a sale: some are refunded in part or whole, a few never finalized. */
  #decide({ saleId, holdUntil, amount }: Sale): void {
    const { random, now } = this.timeline;
    const roll = random.fraction();
    const soon = () => now + Math.floor(random.fraction() * (holdUntil - now));
    const part = (amount * BigInt(5 + random.below(60))) / 100n + 1n;
    if (roll < 0.06) this.#refunds.push({ at: soon(), saleId, amount: null });
    else if (roll < 0.13) this.#refunds.push({ at: soon(), saleId, amount: part });
    else if (roll < 0.16) {
      const at = soon();
      this.#refunds.push({ at, saleId, amount: part }, { at: at + 1, saleId, amount: null });
    } else if (roll < 0.2) this.neverFinalized.add(saleId);
  }

  /** Removes the first time of a list if it has been reached. */
  #due(times: number[]): boolean {
    const [first] = times;
    if (first === undefined || first > this.timeline.now) return false;
    times.shift();
    return true;
  }

  #times(count: number, fromDay: number, untilDay: number): number[] {
    const { timeline } = this;
    return Array.from({ length: count }, () =>
      timeline.timeOf(fromDay + timeline.random.fraction() * (untilDay - fromDay)),
    ).sort((a, b) => a - b);
  }
}

/** The links of a campaign, in the order in which they joined. */
function nodesOf({ ledger }: PlannedCampaign): Node[] {
  return [...ledger.nodes.values()];
}
