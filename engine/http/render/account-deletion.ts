import type { z } from 'zod';
import type { registry } from '../../contract/registry.ts';
import { countOf } from '../../core/count-of.ts';
import type { AccountDeletion } from '../../db/commerce/delete-account.ts';
import { closeBlockers } from './close-blockers.ts';

type Answer = z.infer<typeof registry.account.delete.output>;
type Blocker = Answer['blockers'][number];

/** Sentences about what a deletion leaves (docs/reference/privacy.md#what-a-deletion-leaves). */
const remains = [
  'The chain keeps your address with every sale, link, reward and claim of it. That cannot be deleted, and this service shows what is on the chain.',
  'Products that you published stay for their buyers, archived and without your profile; so do requests for refunds, without what you wrote.',
  'Audit logs of teams keep your address for 2 years, without content.',
  'Your handle, slug and name stay reserved for you for 30 days.',
  'Backups of the operator keep everything until they are deleted.',
];

/** Deletion of an account as its owner sees it. */
export function deletionOf({ deletedAt, stake }: AccountDeletion): Answer {
  return {
    deleted: deletedAt !== null,
    deletedAt: deletedAt?.toISOString() ?? null,
    blockers: deletedAt === null ? blockersOf(stake) : [],
    remains,
  };
}

/** Reasons why an account cannot be deleted yet, one entry per kind. */
function blockersOf(stake: AccountDeletion['stake']): Blocker[] {
  const { merchant, refundRequests, members, otherTeams } = stake;
  // Rewards and proceeds that were not claimed do not count: the contract pays them without this service.
  const sold = (merchant === null ? [] : closeBlockers(merchant)).flatMap(
    ({ kind, count, message }) =>
      kind === 'LIVE_CAMPAIGNS' || kind === 'OPEN_HOLDS' || kind === 'OPEN_DISPUTES'
        ? [{ kind, count, message }]
        : [],
  );
  const own: Blocker[] = [
    {
      kind: 'OPEN_REFUND_REQUESTS',
      count: refundRequests,
      message: `${countOf(refundRequests, 'refund request of yours is', 'refund requests of yours are')} open: withdraw them with refundRequests.withdraw, or wait for the refund.`,
    },
    {
      kind: 'TEAM_MEMBERS',
      count: members,
      message: `${countOf(members, 'other account belongs', 'other accounts belong')} to a team of yours: remove them with team.remove.`,
    },
    {
      kind: 'TEAM_OF_ANOTHER',
      count: otherTeams,
      message: `The owner of ${countOf(otherTeams, 'team is', 'teams are')} not its merchant: give the team back with team.transferOwnership, or ask its owner to.`,
    },
  ];
  return [...sold, ...own.filter(({ count }) => count > 0)];
}
