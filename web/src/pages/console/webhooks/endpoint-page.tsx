import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { useLocation } from 'wouter';
import { Button } from '../../../components/button.tsx';
import { Card, Cards } from '../../../components/card.tsx';
import { ConfirmButton } from '../../../components/confirm-button.tsx';
import { Form } from '../../../components/form.tsx';
import { Issue } from '../../../components/issue.tsx';
import { Loading } from '../../../components/loading.tsx';
import { useActing } from '../acting.tsx';
import { ForRole } from '../for-role.tsx';
import { sectionPath } from '../paths.ts';
import { Deliveries } from './deliveries.tsx';
import { type Endpoint, EndpointState } from './endpoint-state.tsx';
import { EventFields, useEventTypes } from './event-fields.tsx';
import { eventsOf, eventValues } from './events.ts';
import { endpointField } from './new-endpoint.tsx';
import styles from './webhooks.module.css';

interface Props {
  readonly endpoint: Endpoint;
  readonly onSecret: (secret: string) => void;
}

/** One endpoint: its state, its events, its secret, and its deliveries. */
export function EndpointPage({ endpoint, onSecret }: Props) {
  const types = useEventTypes();
  return (
    <Cards>
      <Card title="Endpoint" aside={<EndpointState endpoint={endpoint} />}>
        <p className={styles.address}>{endpoint.url}</p>
        <ForRole needs="admin">
          <Actions endpoint={endpoint} onSecret={onSecret} />
        </ForRole>
      </Card>
      <Deliveries endpointId={endpoint.id} />
      <Card title="Events">
        <ForRole needs="admin">
          {types.length === 0 ? (
            <Loading what="the events" />
          ) : (
            <EditEvents endpoint={endpoint} types={types} />
          )}
        </ForRole>
      </Card>
    </Cards>
  );
}

function Actions({ endpoint: { id, url, enabled }, onSecret }: Props) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const changed = () => queries.invalidateQueries({ queryKey: key });
  const test = useMutation({ mutationFn: () => api.webhooks.test({ id }), onSuccess: changed });
  const toggle = useMutation({
    mutationFn: () => api.webhooks.update({ id, enabled: !enabled }),
    onSuccess: changed,
  });
  const error = test.error ?? toggle.error;
  return (
    <>
      <div className="actions tight">
        <Button main disabled={test.isPending} onClick={() => test.mutate()}>
          Send a test event
        </Button>
        <Button disabled={toggle.isPending} onClick={() => toggle.mutate()}>
          {enabled ? 'Turn off' : 'Turn on'}
        </Button>
        <ConfirmButton
          name="New secret"
          title="Make a new secret?"
          onConfirm={async () => {
            const { data } = await api.webhooks.rotateSecret({ id });
            onSecret(data.secret);
          }}
        >
          The old one signs too for 24 hours, so that your server can take both meanwhile.
        </ConfirmButton>
        <ConfirmButton
          name="Remove"
          title={`Remove ${url}?`}
          onConfirm={async () => {
            await api.webhooks.remove({ id });
            navigate(sectionPath('webhooks'));
            // Its deliveries, which are still on the page, are gone.
            await queries.invalidateQueries({ queryKey: [...key, 'webhooks.list'] });
          }}
        >
          It gets no more events, and its deliveries are deleted.
        </ConfirmButton>
      </div>
      <Issue of={error} />
      {test.isSuccess && <p role="status">A test event is on its way: see the deliveries.</p>}
    </>
  );
}

interface EditProps {
  readonly endpoint: Endpoint;
  readonly types: readonly string[];
}

function EditEvents({ endpoint, types }: EditProps) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const { id, events, ordered } = endpoint;
  const defaultValues = { ...eventValues(events, types), ordered };
  const form = useForm({ defaultValues });
  async function save(values: typeof defaultValues) {
    await api.webhooks.update({ id, events: eventsOf(values, types), ordered: values.ordered });
    await queries.invalidateQueries({ queryKey: [...key, 'webhooks.list'] });
  }
  return (
    <Form form={form} onSubmit={save} name="Save" saved="Saved." fieldOf={endpointField}>
      <EventFields form={form} types={types} />
    </Form>
  );
}
