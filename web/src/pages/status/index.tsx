import type { api, DataOf } from '../../api.ts';
import { Answered } from '../../components/answered.tsx';
import { Badge } from '../../components/badge.tsx';
import { Card, Cards } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Facts } from '../../components/facts.tsx';
import { Hash } from '../../components/hash.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { Time } from '../../components/time.tsx';
import { count, words } from '../../format.ts';
import { useStatus } from '../../status.ts';
import { AuditCard } from './audit-card.tsx';
import { ConservationCard } from './conservation-card.tsx';
import { type Head, headsOf } from './heads.ts';
import { RpcCard } from './rpc-card.tsx';
import styles from './status.module.css';

type Status = DataOf<typeof api.system.status>;

/** How far chain, indexer and settlement are, and whether the ledger adds up. */
export function StatusPage() {
  const query = useStatus();
  return (
    <>
      <PageHead title="Status">
        {query.data && (
          <Overview
            status={query.data.data}
            failed={query.error !== null}
            readAt={query.dataUpdatedAt}
          />
        )}
      </PageHead>
      <Cards>
        <Answered query={query} what="The status">
          {({ data }) => (
            <Cards>
              <Alarms status={data} />
              <HeadsCard status={data} />
              <WorkCard status={data} />
              <RpcCard rpcs={data.rpcs ?? []} />
            </Cards>
          )}
        </Answered>
        <ConservationCard />
        <AuditCard />
      </Cards>
    </>
  );
}

const tones = { ok: 'good', starting: 'warn', attention: 'bad' } as const;
const sentences = {
  ok: 'All parts run.',
  starting: 'The service is starting.',
  attention: 'Something needs attention.',
} as const;

interface OverviewProps {
  readonly status: Status;
  /** True if the newest request for the status failed. */
  readonly failed: boolean;
  /** When the status was read, milliseconds since 1970. */
  readonly readAt: number;
}

/** The state of the service in a sentence, and when it was read. */
function Overview({ status: { status, chainSilentSince }, failed, readAt }: OverviewProps) {
  const silent = status === 'ok' && Boolean(chainSilentSince);
  return (
    <>
      <p role="status">
        {failed ? (
          <Badge tone="warn">unknown</Badge>
        ) : (
          <Badge tone={silent ? 'warn' : tones[status]}>{silent ? 'waiting' : words(status)}</Badge>
        )}{' '}
        {failed ? 'The service does not answer.' : silent ? CHAIN_SILENT : sentences[status]}
      </p>
      {chainSilentSince && !failed && (
        <p>
          The blockchain node has not responded since <Time exact at={chainSilentSince} />.
        </p>
      )}
      <p className="soft">
        Read every 3 seconds, last at <Time exact at={new Date(readAt).toISOString()} />.
      </p>
    </>
  );
}

const CHAIN_SILENT = 'The blockchain node does not respond.';

function Alarms({ status: { alarms, stopped } }: { readonly status: Status }) {
  if (alarms.length === 0 && stopped.length === 0) return null;
  return (
    <Panel tone="bad" title="Alarms" role="alert">
      <ul className={styles.alarms}>
        {alarms.map((alarm) => (
          <li key={alarm}>{alarm}</li>
        ))}
        {stopped.map(({ campaignId, since, reason }) => (
          <li key={`campaign ${campaignId}`}>
            Campaign {campaignId} has been stopped since <Time exact at={since} />: {reason}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function HeadsCard({ status }: { readonly status: Status }) {
  const { deployment, headSeenAt } = status;
  return (
    <Card title="Heads">
      <div className="stack">
        <DataTable
          caption="Blocks that each part has reached"
          rows={headsOf(status)}
          rowKey={({ name }) => name}
          columns={[
            { name: 'Head', cell: ({ name }) => words(name) },
            { name: 'Block', numeric: true, cell: blockOf },
            { name: 'Behind the chain', numeric: true, cell: behindOf },
            { name: 'Meaning', cell: ({ meaning }) => meaning },
          ]}
        />
        <Facts
          facts={[
            [
              'Time of the settled block',
              status.settled?.timestamp && <Time at={status.settled.timestamp} />,
            ],
            [
              'Settled block',
              status.settled && <Hash value={status.settled.hash} label="block hash" />,
            ],
            ['Heads written', headSeenAt && <Time at={headSeenAt} />],
            ['Chain', String(deployment.chainId)],
            ['Contract', <Hash key="c" value={deployment.contractAddress} label="address" />],
            ['Genesis', <Hash key="g" value={deployment.genesisHash} label="block hash" />],
          ]}
        />
      </div>
    </Card>
  );
}

const blockOf = ({ block }: Head) => (block === null ? '–' : count(block));
const behindOf = ({ behind }: Head) => (behind === null ? '–' : count(behind));

function WorkCard({ status: { queue, counts, discrepancies } }: { readonly status: Status }) {
  const { campaigns } = discrepancies;
  return (
    <Card title="Settlement">
      <Facts
        facts={[
          ['Campaigns', count(counts.campaigns)],
          ['Links', count(counts.nodes)],
          ['Sales', count(counts.sales)],
          ['Jobs waiting', queue ? count(queue.waiting) : 'The queue does not respond'],
          ['Jobs running', queue && count(queue.active)],
          ['Jobs scheduled', queue && count(queue.delayed)],
          [
            'Discrepancies',
            discrepancies.count === 0 ? (
              <Badge key="none" tone="good">
                none
              </Badge>
            ) : (
              <Badge key="some" tone="bad">
                {count(discrepancies.count)} in campaign {campaigns.join(', ')}
              </Badge>
            ),
          ],
        ]}
      />
    </Card>
  );
}
