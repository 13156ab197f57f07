import { words } from '../../../format.ts';

/** Events of webhooks in words, in groups. */
const groups: readonly (readonly [title: string, events: Readonly<Record<string, string>>])[] = [
  [
    'Sales',
    {
      'sale.recorded': 'A sale was paid',
      'sale.attested': 'A sale that was paid elsewhere was attested',
      'sale.refunded': 'A sale was refunded, or a part of it',
      'sale.finalized': 'The time for refunds of a sale is over',
      'sale.reversed': 'A sale was reversed afterwards',
    },
  ],
  [
    'Refund requests',
    {
      'dispute.opened': 'A buyer asks for a refund',
      'dispute.answered': 'A refund request got an answer',
      'dispute.withdrawn': 'A buyer withdrew a refund request',
    },
  ],
  [
    'Rewards and money',
    {
      'reward.claimable': 'A reward can be claimed',
      'reward.claimed': 'Rewards were claimed',
      'reward.released': 'A refund released a reward',
      'reward.reversed': 'A reward was reversed',
      'proceeds.claimed': 'You claimed proceeds',
      'payment.credited': 'A payment could not be delivered, and was credited',
      'credit.withdrawn': 'A credit was withdrawn',
    },
  ],
  [
    'Campaigns',
    {
      'campaign.created': 'A campaign was created',
      'campaign.funded': 'A deposit was made',
      'campaign.capacity_raised': 'A campaign may have more links or sales',
      'campaign.paused': 'A campaign was paused',
      'campaign.resumed': 'A campaign was resumed',
      'campaign.ended': 'A campaign was ended',
      'campaign.surplus_withdrawn': 'A part of a deposit was withdrawn',
      'policy.scheduled': 'New reward terms were set',
      'price.set': 'A price was set',
    },
  ],
  [
    'Partners',
    {
      'node.joined': 'A partner joined and got a link',
      'distributor.allowed': 'An account may join, or may not any more',
      'attester.allowed': 'An account may attest, or may not any more',
      'invitation.received': 'You were invited',
      'invitation.answered': 'An invitation was answered',
    },
  ],
  [
    'This service',
    {
      'report.ready': 'A report is ready',
      'report.failed': 'A report failed',
      'webhook.disabled': 'A webhook was turned off',
    },
  ],
];

/** An event with what happened. */
interface EventWords {
  readonly name: string;
  readonly text: string;
}

/** Events that webhooks send, in groups. One that has no words yet is in the last group. */
export function groupedEvents(
  types: readonly string[],
): readonly { readonly title: string; readonly events: readonly EventWords[] }[] {
  const known = groups.map(([title, events]) => ({
    title,
    events: Object.entries(events)
      .filter(([name]) => types.includes(name))
      .map(([name, text]) => ({ name, text })),
  }));
  const named = new Set(groups.flatMap(([, events]) => Object.keys(events)));
  const others = types
    .filter((name) => !named.has(name))
    .map((name) => ({ name, text: words(name.replace('.', ' ')) }));
  return [...known, { title: 'Others', events: others }].filter(({ events }) => events.length > 0);
}
