import { Panel } from '../../components/panel.tsx';
import { words } from '../../format.ts';
import type { Receipt } from './arithmetic.ts';

/** Where settlement computed one thing and the chain said another: nothing of it is hidden. */
export function Discrepancies({ receipt: { discrepancies } }: { readonly receipt: Receipt }) {
  if (discrepancies.length === 0) return null;
  return (
    <Panel tone="bad" title="The chain differs from the protocol’s rules here">
      <ul>
        {discrepancies.map(({ kind, level, account, expected, actual }) => (
          <li key={`${kind} ${level} ${account}`}>
            {words(kind)}
            {level !== null && ` of level ${level}`}: expected <code>{expected}</code>, the chain
            has <code>{actual}</code>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
