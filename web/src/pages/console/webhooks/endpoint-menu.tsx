import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { type RowAction, RowMenu } from '../../../components/row-menu.tsx';
import { useActing, useMay } from '../acting.tsx';
import { webhookPath } from '../paths.ts';
import type { Endpoint } from './endpoint-state.tsx';

interface EndpointMenuProps {
  readonly endpoint: Endpoint;
  readonly onSecret: (secret: string) => void;
}

/** Menu of an endpoint: its page, a test, and its changes. */
export function EndpointMenu({ endpoint: { id, url, enabled }, onSecret }: EndpointMenuProps) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const disabled = !useMay('admin');
  const changed = () => queries.invalidateQueries({ queryKey: key });
  const actions: RowAction[] = [
    { name: 'Open', href: webhookPath(id) },
    {
      name: 'Send a test event',
      disabled,
      run: async () => {
        await api.webhooks.test({ id });
        // Its page shows the delivery.
        navigate(webhookPath(id));
        await changed();
      },
    },
    {
      name: enabled ? 'Turn off' : 'Turn on',
      disabled,
      run: async () => {
        await api.webhooks.update({ id, enabled: !enabled });
        await changed();
      },
    },
    {
      name: 'New secret',
      disabled,
      ask: {
        title: 'Make a new secret?',
        text: 'The old one signs too for 24 hours, so that your server can take both meanwhile.',
      },
      run: async () => onSecret((await api.webhooks.rotateSecret({ id })).data.secret),
    },
    {
      name: 'Remove',
      disabled,
      ask: {
        title: `Remove ${url}?`,
        text: 'It gets no more events, and its deliveries are deleted.',
      },
      run: async () => {
        await api.webhooks.remove({ id });
        await changed();
      },
    },
  ];
  return <RowMenu of={url} actions={actions} />;
}
