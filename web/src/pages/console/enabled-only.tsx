import type { ReactNode } from 'react';
import { Loading } from '../../components/loading.tsx';
import { Panel } from '../../components/panel.tsx';
import { useEnabled } from '../../enabled.ts';

interface Props {
  /** A method of the resource: `team.members`. */
  readonly method: string;
  /** Name of the content, in the plural: `Teams`. */
  readonly name: string;
  readonly children: ReactNode;
}

/** Content that needs a part of the API which a deployment may not have enabled. */
export function EnabledOnly({ method, name, children }: Props) {
  const enabled = useEnabled(method);
  if (enabled === undefined) return <Loading what={name} />;
  if (enabled) return children;
  const [resource] = method.split('.');
  return (
    <Panel title={`${name} are not enabled here`}>
      <p>
        Who runs this service enables them with the variable{' '}
        <code>DESIGNED_METHODS={resource}</code>.
      </p>
    </Panel>
  );
}
