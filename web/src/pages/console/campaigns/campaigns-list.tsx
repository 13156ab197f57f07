import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import type { Client } from '../../../../../engine/client/index.ts';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { type DataOf, usePages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Button } from '../../../components/button.tsx';
import type { TableColumn } from '../../../components/data-table.tsx';
import { HeadAction } from '../../../components/head-action.tsx';
import { Issue } from '../../../components/issue.tsx';
import { ListCard } from '../../../components/list.tsx';
import { type RowAction, RowMenu } from '../../../components/row-menu.tsx';
import { FilterBar, FilterSelect } from '../../../filters/filter-bar.tsx';
import { useFilters } from '../../../filters/use-filters.ts';
import { useActing, useMay } from '../acting.tsx';
import { CampaignBadge } from '../campaign-badge.tsx';
import { campaignPath, draftPath, invitePath, operationPath, sectionPath } from '../paths.ts';

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
        menu={(own) => <CampaignMenu own={own} />}
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
    <HeadAction>
      <Issue small of={create.error} />
      <Button main disabled={!useMay('admin') || create.isPending} onClick={() => create.mutate()}>
        New campaign
      </Button>
    </HeadAction>
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
  return count === 0 ? 'Ready to publish' : `${count} to complete`;
}

function CampaignMenu({ own }: { readonly own: OwnCampaign }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const may = useMay('admin');
  const { campaign, draft } = own;
  if (campaign !== null) {
    return (
      <RowMenu of={`campaign ${campaign.campaignId}`} actions={actionsOf(own.state, campaign)} />
    );
  }
  if (draft === null) return null;
  const { id } = draft;
  async function remove() {
    await api.campaigns.deleteDraft({ id });
    await queries.invalidateQueries({ queryKey: [...key, 'campaigns.mine'] });
  }
  const actions: RowAction[] = [
    { name: draft.issues.length === 0 ? 'Publish' : 'Continue', href: draftPath(id) },
    {
      name: 'Delete',
      disabled: !may,
      ask: { title: 'Delete the draft?', text: 'A campaign that it became stays.' },
      run: remove,
    },
  ];
  return <RowMenu of={draft.draft.name || `draft ${id}`} actions={actions} />;
}

/** Entries of the menu of a campaign on the chain, by its state. */
function actionsOf(state: OwnCampaign['state'], { campaignId }: { readonly campaignId: string }) {
  const operation = (name: string, id: string) => ({ name, href: operationPath(campaignId, id) });
  const isOver = state === 'ENDED' || state === 'EXPIRED';
  return [
    { name: 'Open', href: campaignPath(campaignId) },
    { name: 'Public page', href: pathOf('campaign', { campaignId }) },
    ...(isOver
      ? []
      : [
          { name: 'Invite a partner', href: invitePath(undefined, campaignId) },
          operation('Deposit rewards', 'fund'),
          operation('Schedule a policy', 'schedulePolicy'),
          state === 'PAUSED' ? operation('Resume', 'resume') : operation('Pause', 'pause'),
        ]),
    { name: 'Orders', href: `${sectionPath('orders')}?campaign=${campaignId}` },
  ];
}
