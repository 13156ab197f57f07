import { useState } from 'react';
import { Card, Cards } from '../../components/card.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Coverage } from './coverage.tsx';
import { FileChoice, type FileSelection } from './file-choice.tsx';
import { Result } from './result.tsx';
import { readTrust, type TrustText } from './trust.ts';
import { TrustFields } from './trust-fields.tsx';

const NO_TRUST: TrustText = { hashes: '', contract: '' };

/** Checks a receipt bundle with no network: what is dropped here never leaves the browser. */
export function BundlePage() {
  const [choice, setChoice] = useState<FileSelection>();
  const [trust, setTrust] = useState(NO_TRUST);
  const read = readTrust(trust);
  return (
    <>
      <PageHead title="Check a bundle">
        <p>
          A bundle is a receipt with its proofs, from block headers to the events of the sale. Your
          browser checks it without a network. Nothing is sent anywhere.
        </p>
      </PageHead>
      <Cards>
        <Card title="The file">
          <FileChoice choice={choice} onChoice={setChoice} />
        </Card>
        <Card title="What you trust">
          <TrustFields trust={trust} problems={read.problems} onChange={setTrust} choice={choice} />
        </Card>
        <Card title="What it proves">
          <div className="stack">
            <div aria-live="polite">
              {choice?.bytes === undefined ? (
                <p className="soft">Choose a file. Its checks appear here.</p>
              ) : (
                <Result bytes={choice.bytes} trust={read.trust} />
              )}
            </div>
            <Coverage />
          </div>
        </Card>
      </Cards>
    </>
  );
}
