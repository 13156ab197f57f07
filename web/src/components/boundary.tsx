import { Component, type ReactNode } from 'react';
import { Button } from './button.tsx';
import { Panel } from './panel.tsx';

interface State {
  readonly error: Error | undefined;
}

/**
 * Says so where a page breaks, or cannot be loaded: after a new version of the site, the parts of
 * an open page are gone, and a load brings the new ones.
 */
export class Boundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: undefined };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <Panel tone="bad" title="This page could not be shown">
        <p>
          A part of the site did not load, or failed. Reload it; if that does not help, the data is
          also at <a href="/v1/receipts">/v1/receipts</a>.
        </p>
        <p>
          <code>{error.message}</code>
        </p>
        <Button onClick={() => location.reload()}>Reload</Button>
      </Panel>
    );
  }
}
