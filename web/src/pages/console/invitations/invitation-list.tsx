import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Client } from '../../../../../engine/client/index.ts';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { type DataOf, usePages } from '../../../api.ts';
import { AddressLink } from '../../../components/address-link.tsx';
import { Badge, type Tone } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { Issue } from '../../../components/issue.tsx';
import { ListCard } from '../../../components/list.tsx';
import { Time } from '../../../components/time.tsx';
import { FilterBar, FilterSelect } from '../../../filters/filter-bar.tsx';
import { type FilterOptions, useFilters } from '../../../filters/use-filters.ts';
import { shortHex, words } from '../../../format.ts';
import { useActing, useMay } from '../acting.tsx';

type Status = DataOf<Client['invitations']['sent']>['items'][number]['status'];

const tones: Readonly<Record<Status, Tone>> = {
  pending: 'warn',
  accepted: 'good',
  declined: 'bad',
  withdrawn: 'plain',
  expired: 'plain',
};

const states: FilterOptions<Status | ''> = [
  ['', 'All invitations'],
  ...(Object.keys(tones) as Status[]).map((name) => [name, words(name)] as const),
];

/** Invitations that the merchant sent, newest first. */
export function InvitationList() {
  const { api, key } = useActing();
  const mayWithdraw = useMay('admin');
  const queries = useQueryClient();
  const filters = useFilters('status');
  const status = filters.chosen('status', states);
  const list = [...key, 'invitations.sent'];
  const pages = usePages(list, api.invitations.sent, { status, limit: 20 });
  const withdraw = useMutation({
    mutationFn: (id: string) => api.invitations.withdraw({ id }),
    onSuccess: () => queries.invalidateQueries({ queryKey: list }),
  });
  return (
    <ListCard
      title="Sent invitations"
      pages={pages}
      empty={
        status
          ? 'No invitation is in this state.'
          : 'No invitation was sent yet. Invite a distributor above.'
      }
      rowKey={({ id }) => id}
      columns={[
        {
          name: 'To',
          cell: ({ distributor }) => <AddressLink address={distributor} to="distributors" />,
        },
        {
          name: 'Campaign',
          cell: ({ campaignId }) => (
            <Link href={pathOf('campaign', { campaignId })}>{campaignId}</Link>
          ),
        },
        {
          name: 'State',
          cell: (one) => <Badge tone={tones[one.status]}>{words(one.status)}</Badge>,
        },
        {
          name: 'Answer',
          cell: (one) =>
            (one.status === 'accepted' || one.status === 'declined') && <Answer id={one.id} />,
        },
        { name: 'Sent', cell: ({ createdAt }) => <Time at={createdAt} /> },
        { name: 'Until', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
        {
          name: 'Change',
          cell: (one) =>
            one.status === 'pending' &&
            mayWithdraw && (
              <Button
                disabled={withdraw.isPending}
                onClick={() => withdraw.mutate(one.id)}
                aria-label={`Withdraw the invitation to ${shortHex(one.distributor)}`}
              >
                Withdraw
              </Button>
            ),
        },
      ]}
    >
      <FilterBar filters={filters}>
        <FilterSelect filters={filters} name="status" label="Show" options={states} wide />
      </FilterBar>
      <Issue of={withdraw.error} />
    </ListCard>
  );
}

/** Comment of the distributor on its answer, read when it is asked for. */
function Answer({ id }: { readonly id: string }) {
  const { api } = useActing();
  const read = useMutation({ mutationFn: async () => (await api.invitations.get({ id })).data });
  if (read.data) {
    return (
      <>
        {read.data.reason ?? 'no comment'}
        {read.data.respondedAt && (
          <>
            , <Time at={read.data.respondedAt} />
          </>
        )}
      </>
    );
  }
  return (
    <>
      <Button quiet disabled={read.isPending} onClick={() => read.mutate()}>
        Read
      </Button>
      <Issue of={read.error} />
    </>
  );
}
