import type { ReactNode } from 'react';
import { colourOf } from '../buckets.ts';
import type { Band } from './bands.ts';
import styles from './charts.module.css';

interface LegendProps {
  readonly bands: readonly Band[];
  /** Shown behind the label of a band. */
  readonly value?: (band: Band) => ReactNode;
}

/** The bands of a chart, each with its colour. */
export function Legend({ bands, value }: LegendProps) {
  return (
    <ul className={styles.legend}>
      {bands.map((band) => (
        <li key={band.name}>
          <Swatch name={band.name} />
          {band.label}
          {value && <>: {value(band)}</>}
        </li>
      ))}
    </ul>
  );
}

/** A spot in the colour of a band. */
export function Swatch({ name }: { readonly name: string }) {
  return (
    <span className={styles.swatch} style={{ background: colourOf(name) }} aria-hidden="true" />
  );
}
