import type { ReactNode } from 'react';
import type { Role } from '../../../../engine/contract/roles.ts';
import { useActing, useMay } from './acting.tsx';

interface Props {
  /** The lowest role that may use it. */
  readonly needs: Role;
  readonly children: ReactNode;
}

/** Controls for a role. An account with a lower role reads which one is needed instead. */
export function ForRole({ needs, children }: Props) {
  const { role } = useActing();
  if (useMay(needs)) return children;
  return (
    <p className="soft">
      This needs the role {needs}; yours is {role}.
    </p>
  );
}
