import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import type { Client } from '../../../../../engine/client/index.ts';
import { type DataOf, usePages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Badge, type Tone } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { ConfirmButton } from '../../../components/confirm-button.tsx';
import type { TableColumn } from '../../../components/data-table.tsx';
import { Issue } from '../../../components/issue.tsx';
import { ListCard } from '../../../components/list.tsx';
import { FilterBar, FilterSelect } from '../../../filters/filter-bar.tsx';
import { useFilters } from '../../../filters/use-filters.ts';
import { words } from '../../../format.ts';
import { word } from '../../../word.ts';
import { useActing, useMay } from '../acting.tsx';
import { campaignPath, draftPath } from '../paths.ts';

type OwnCampaign = DataOf<Client['campaigns']['mine']>['items'][number];

const parts = [
  ['', 'All, drafts first'],
  ['draft', 'Drafts'],
  ['active', 'Taking sales'],
  ['not_live', 'Not taking sales'],
  ['paused', 'Paused'],
  ['ended', 'Ended'],
  ['expired', 'Expired'],
] as const;

/** Drafts and campaigns of the merchant. */
export function CampaignsList() {
  const { api, key } = useActing();
  const filters = useFilters('status');
  const part = filters.chosen('status', parts);
  const pages = usePages([...key, 'campaigns.mine'], api.campaigns.mine, {
    ...(part && (part === 'draft' ? { kind: part } : { kind: 'campaign', status: part })),
    limit: 20,
  });
  return (
    <>
      <NewCampaign />
      <ListCard
        title="Campaigns"
        caption="Your campaigns"
        columns={columns}
        pages={pages}
        rowKey={({ campaign, draft }) => campaign?.campaignId ?? draft?.id ?? ''}
        empty="No campaigns here. Create a product first, then a campaign that sells it."
      >
        <FilterBar filters={filters}>
          <FilterSelect filters={filters} name="status" label="Show" options={parts} wide />
        </FilterBar>
      </ListCard>
    </>
  );
}

function NewCampaign() {
  const { api } = useActing();
  const [, navigate] = useLocation();
  const create = useMutation({
    mutationFn: async () => {
      const [a = 0, b = 0] = crypto.getRandomValues(new Uint32Array(2));
      const id = `${a.toString(36)}${b.toString(36)}`;
      await api.campaigns.saveDraft({ id, draft: { version: 0 } });
      return id;
    },
    onSuccess: (id) => navigate(draftPath(id)),
  });
  return (
    <div className="actions">
      <Button main disabled={!useMay('admin') || create.isPending} onClick={() => create.mutate()}>
        New campaign
      </Button>
      <Issue of={create.error} />
    </div>
  );
}

const columns: readonly TableColumn<OwnCampaign>[] = [
  { name: 'Campaign', cell: (own) => <Name own={own} /> },
  { name: 'State', cell: ({ state }) => <CampaignBadge state={state} /> },
  {
    name: 'Price',
    numeric: true,
    cell: ({ campaign }) =>
      campaign ? <Amount value={campaign.price} token={campaign.token} /> : '–',
  },
  {
    name: 'Sales',
    numeric: true,
    cell: ({ counts }) => (counts ? counts.pending + counts.finalized + counts.refunded : '–'),
  },
  {
    name: 'In the vault',
    numeric: true,
    cell: ({ campaign }) =>
      campaign ? <Amount value={campaign.rewardAvailable} token={campaign.token} /> : '–',
  },
  { name: 'Note', cell: (own) => <Note own={own} /> },
];

function Name({ own: { campaign, draft, settings } }: { readonly own: OwnCampaign }) {
  if (campaign !== null) {
    const { campaignId, product } = campaign;
    return (
      <Link href={campaignPath(campaignId)}>
        {campaignId} · {settings?.name || product.title}
      </Link>
    );
  }
  const id = draft?.id ?? '';
  return <Link href={draftPath(id)}>{draft?.draft.name || `Draft ${id}`}</Link>;
}

function Note({ own: { draft, settings } }: { readonly own: OwnCampaign }) {
  if (draft === null) return settings?.listed === false ? 'Not listed' : (settings?.note ?? '');
  const count = draft.issues.length;
  return (
    <span className="actions">
      {count === 0 ? 'Ready to publish' : `${count} to complete`} <DeleteDraft id={draft.id} />
    </span>
  );
}

function DeleteDraft({ id }: { readonly id: string }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  async function remove() {
    await api.campaigns.deleteDraft({ id });
    await queries.invalidateQueries({ queryKey: [...key, 'campaigns.mine'] });
  }
  return (
    <ConfirmButton
      name="Delete"
      title="Delete the draft?"
      disabled={!useMay('admin')}
      onConfirm={remove}
    >
      A campaign that it became stays.
    </ConfirmButton>
  );
}

const tones: Readonly<Record<OwnCampaign['state'], Tone>> = {
  DRAFT_OFFCHAIN: 'plain',
  CREATED_UNFUNDED: 'warn',
  FUNDED_ACTIVE: 'good',
  PAUSED: 'warn',
  ENDED: 'plain',
  EXPIRED: 'plain',
};

const names: Readonly<Record<OwnCampaign['state'], string>> = {
  DRAFT_OFFCHAIN: word('draft'),
  CREATED_UNFUNDED: 'without rewards',
  FUNDED_ACTIVE: word('active'),
  PAUSED: word('paused'),
  ENDED: word('ended'),
  EXPIRED: word('expired'),
};

/** The state of a campaign in a word. */
export function CampaignBadge({ state }: { readonly state: OwnCampaign['state'] }) {
  return <Badge tone={tones[state]}>{names[state] ?? words(state)}</Badge>;
}
