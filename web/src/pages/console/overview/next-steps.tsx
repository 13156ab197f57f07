import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { api as publicApi, useApi } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import { Empty } from '../../../components/empty.tsx';
import { Time } from '../../../components/time.tsx';
import { countOf } from '../../../format.ts';
import { useActing, useMay } from '../acting.tsx';
import { daysBefore } from '../analytics/days.ts';
import { salesOf } from '../analytics/totals.tsx';
import styles from '../console.module.css';
import { nameOf, type OwnCampaign, useOwnCampaigns } from '../own-campaigns.tsx';
import { campaignPath, draftPath, operationPath, sectionPath } from '../paths.ts';
import { daysLeft } from './runway.ts';

/** Days whose sales are the pace by which a budget lasts. */
const PACE_DAYS = 30;
/** A budget that lasts longer is not mentioned. */
const SOON_DAYS = 21;
/** Live campaigns whose next policies are read. */
const MAX_POLICIES = 20;

interface Step {
  readonly id: string;
  readonly text: ReactNode;
}

/** Things for the merchant to do next: drafts, budgets, policies, stopped campaigns, money, reports. */
export function NextSteps() {
  const own = useOwnCampaigns();
  const paces = usePaces();
  const policies = usePolicyChanges(own.data?.data.items ?? []);
  const money = useMoneySteps();
  const reports = useFailedReports();
  return (
    <Card title="Next steps">
      <Answered query={own} what="Your campaigns" size={[13.3, 24.1]}>
        {({ data }) => {
          const steps = [
            ...data.items.flatMap((one) => stepsOf(one, paces)),
            ...policies,
            ...money,
            ...reports,
          ];
          if (steps.length === 0) return <Empty>Nothing else waits for you.</Empty>;
          return (
            <ul className={styles.list}>
              {steps.map(({ id, text }) => (
                <li key={id}>{text}</li>
              ))}
            </ul>
          );
        }}
      </Answered>
    </Card>
  );
}

/** Next steps of a draft or a campaign. @param paces sales of the last days, by campaign. */
function stepsOf(own: OwnCampaign, paces: ReadonlyMap<string, number>): Step[] {
  const { campaign, draft, state } = own;
  if (draft !== null) {
    if (draft.state === 'PUBLISHED') return [];
    const link = <Link href={draftPath(draft.id)}>{nameOf(own)}</Link>;
    const ready = draft.issues.length === 0;
    return [
      {
        id: `draft/${draft.id}`,
        text: ready ? (
          <>The draft {link} is ready to sign.</>
        ) : (
          <>
            The draft {link} is not complete: {countOf(draft.issues.length, 'field')} to fill in.
          </>
        ),
      },
    ];
  }
  if (campaign === null) return [];
  const { campaignId } = campaign;
  const link = <Link href={campaignPath(campaignId)}>{nameOf(own)}</Link>;
  const operation = (id: string, text: string) => (
    <Link href={operationPath(campaignId, id)}>{text}</Link>
  );
  const step = (text: ReactNode): Step[] => [{ id: `campaign/${campaignId}`, text }];
  if (state === 'CREATED_UNFUNDED') {
    return step(
      <>
        {link} is on the chain and has no deposit: it takes no sales yet.{' '}
        {operation('fund', 'Deposit rewards')}
      </>,
    );
  }
  if (state === 'PAUSED') {
    return step(
      <>
        {link} is paused: it takes no sales. {operation('resume', 'Resume')}
      </>,
    );
  }
  if (state !== 'FUNDED_ACTIVE') return [];
  const sales = paces.get(campaignId) ?? 0;
  const days = daysLeft(campaign, { sales, days: PACE_DAYS });
  if (days === undefined || days > SOON_DAYS) return [];
  return step(
    <>
      The budget of {link} runs dry {days === 0 ? 'today' : `in about ${countOf(days, 'day')}`}, if
      it sells as in the last {PACE_DAYS} days.{' '}
      <Amount value={campaign.rewardAvailable} token={campaign.token} /> are left.{' '}
      {operation('fund', 'Deposit rewards')}
    </>,
  );
}

/** Number of sales of each campaign in the last days. */
function usePaces(): ReadonlyMap<string, number> {
  const { api, key } = useActing();
  const range = daysBefore(new Date(), PACE_DAYS);
  const query = useApi([...key, 'analytics.merchant'], api.analytics.merchant, { range });
  const items = query.data?.data.byCampaign ?? [];
  return new Map(items.map(({ campaignId, totals }) => [campaignId, salesOf(totals)]));
}

/** Policies of live campaigns that wait for their time. */
function usePolicyChanges(items: readonly OwnCampaign[]): Step[] {
  const { key } = useActing();
  const live = items
    .filter(({ state }) => state === 'FUNDED_ACTIVE' || state === 'PAUSED')
    .slice(0, MAX_POLICIES);
  const ids = live.map(({ campaign }) => campaign?.campaignId ?? '');
  const query = useQuery({
    queryKey: [...key, 'campaigns.policy', ids],
    enabled: ids.length > 0,
    queryFn: async ({ signal }) =>
      await Promise.all(
        ids.map(async (campaignId) => {
          const { data } = await publicApi.campaigns.policy({ campaignId }, { signal });
          return { campaignId, scheduled: data.scheduled };
        }),
      ),
  });
  return (query.data ?? []).flatMap(({ campaignId, scheduled }) =>
    scheduled.map(({ version, effectiveAt }) => {
      const own = live.find(({ campaign }) => campaign?.campaignId === campaignId);
      return {
        id: `policy/${campaignId}/${version}`,
        text: (
          <>
            The reward policy of{' '}
            <Link href={campaignPath(campaignId)}>{own ? nameOf(own) : campaignId}</Link> changes to
            version {version} <Time at={effectiveAt} />.
          </>
        ),
      };
    }),
  );
}

/** Proceeds that can be claimed, and sales that can be finalized. */
function useMoneySteps(): Step[] {
  const { api, key } = useActing();
  const query = useApi([...key, 'vault.get'], api.vault.get, {});
  const link = <Link href={sectionPath('vault')}>Vault and proceeds</Link>;
  return (query.data?.data.byToken ?? []).flatMap(({ token, proceedsLedger, proceedsReady }) => [
    ...(proceedsLedger.proceedsClaimable === '0'
      ? []
      : [
          {
            id: `claim/${token.address}`,
            text: (
              <>
                <Amount value={proceedsLedger.proceedsClaimable} token={token} /> of proceeds can be
                claimed: {link}.
              </>
            ),
          },
        ]),
    ...(proceedsReady === '0'
      ? []
      : [
          {
            id: `finalize/${token.address}`,
            text: (
              <>
                The hold of sales worth <Amount value={proceedsReady} token={token} /> is over.
                Finalize them to claim it: {link}.
              </>
            ),
          },
        ]),
  ]);
}

/** Reports that could not be made. */
function useFailedReports(): Step[] {
  const { api, key } = useActing();
  const query = useApi(
    [...key, 'reports.list'],
    api.reports.list,
    { status: 'failed', limit: 5 },
    { enabled: useMay('analyst') },
  );
  return (query.data?.data.items ?? []).map(({ id, kind, createdAt, error }) => ({
    id: `report/${id}`,
    text: (
      <>
        The <Link href={sectionPath('reports')}>report</Link> of {kind} ordered{' '}
        <Time at={createdAt} /> failed: {error}
      </>
    ),
  }));
}
