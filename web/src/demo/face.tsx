import type { DemoRole } from '../../../engine/contract/demo.ts';
import styles from './demo.module.css';
import buyer from './faces/buyer.svg';
import merchant from './faces/merchant.svg';
import partner from './faces/partner.svg';

const faces: Readonly<Record<DemoRole, string>> = { merchant, partner, buyer };

/** Picture of a person of the demo, next to the name. */
export function Face({ of: role }: { readonly of: DemoRole }) {
  return <img className={styles.face} src={faces[role]} alt="" width="40" height="40" />;
}
