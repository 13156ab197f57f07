import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import * as column from '../../../components/columns.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { Empty } from '../../../components/empty.tsx';
import { HeadAction } from '../../../components/head-action.tsx';
import { Panel } from '../../../components/panel.tsx';
import { Secret } from '../../../components/secret.tsx';
import { countOf } from '../../../format.ts';
import { useActing, useMay } from '../acting.tsx';
import { EnabledOnly } from '../enabled-only.tsx';
import { sectionPath, webhookPath } from '../paths.ts';
import { EndpointMenu } from './endpoint-menu.tsx';
import { EndpointPage } from './endpoint-page.tsx';
import { type Endpoint, EndpointState } from './endpoint-state.tsx';
import { NewEndpoint } from './new-endpoint.tsx';
import styles from './webhooks.module.css';

/** Endpoints that events are sent to: of a merchant, or of any other account. */
export default function WebhooksSection() {
  return (
    <EnabledOnly method="webhooks.list" name="Webhooks">
      <Webhooks />
    </EnabledOnly>
  );
}

function Webhooks() {
  const { api, key } = useActing();
  const [params] = useSearchParams();
  const [secret, setSecret] = useState<string>();
  const query = useApi([...key, 'webhooks.list'], api.webhooks.list, {});
  const endpointId = params.get('endpoint');
  return (
    <>
      {secret && <Secret value={secret} label="signing secret" />}
      <Answered query={query} what="The endpoints">
        {({ data }) => {
          if (endpointId === null) return <Endpoints endpoints={data} onSecret={setSecret} />;
          const endpoint = data.find(({ id }) => id === endpointId);
          return (
            <>
              <p>
                <Link href={sectionPath('webhooks')}>All endpoints</Link>
              </p>
              {endpoint ? (
                <EndpointPage key={endpointId} endpoint={endpoint} onSecret={setSecret} />
              ) : (
                <Panel title="This endpoint was removed" />
              )}
            </>
          );
        }}
      </Answered>
    </>
  );
}

interface EndpointsProps {
  readonly endpoints: readonly Endpoint[];
  readonly onSecret: (secret: string) => void;
}

function Endpoints({ endpoints, onSecret }: EndpointsProps) {
  const [creating, setCreating] = useState(false);
  const may = useMay('admin');
  return (
    <Card title="Webhooks">
      <HeadAction>
        <Button main disabled={!may} onClick={() => setCreating(true)}>
          New endpoint
        </Button>
      </HeadAction>
      {endpoints.length === 0 ? (
        <Empty>
          You have no endpoints. Add the address of your server, and choose the events that it gets.
        </Empty>
      ) : (
        <DataTable
          caption="Your endpoints"
          rows={endpoints}
          rowKey={({ id }) => id}
          menu={(endpoint) => <EndpointMenu endpoint={endpoint} onSecret={onSecret} />}
          columns={[
            {
              name: 'Address',
              cell: ({ id, url }) => (
                <Link className={styles.url} href={webhookPath(id)}>
                  {url}
                </Link>
              ),
            },
            { name: 'State', cell: (endpoint) => <EndpointState endpoint={endpoint} /> },
            {
              name: 'Events',
              cell: ({ events }) => (
                <span title={events.join(', ')}>
                  {events.length <= 2 ? events.join(', ') : countOf(events.length, 'event')}
                </span>
              ),
            },
            column.time('Since', 'createdAt'),
          ]}
        />
      )}
      <Dialog title="New endpoint" open={creating} onClose={() => setCreating(false)}>
        <NewEndpoint
          onCreated={(secret) => {
            setCreating(false);
            onSecret(secret);
          }}
        />
      </Dialog>
    </Card>
  );
}
