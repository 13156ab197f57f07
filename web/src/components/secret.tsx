import { CopyButton } from './copy-button.tsx';
import { Panel } from './panel.tsx';

/** A secret that the service returns once. `label` names it for the copy button: `API key`. */
export function Secret({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <Panel tone="warn" title={`Copy the ${label} now`} role="status">
      <p>It is shown only this time. Store it where you store passwords.</p>
      <p>
        <code>{value}</code> <CopyButton text={value} label={label} />
      </p>
    </Panel>
  );
}
