import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { projectRoot } from '../../../engine/cli/stack/processes.ts';

/** Largest picture of the documentation. */
const MAX_BYTES = 120_000;

/** Windows of the pictures: on a desktop, and on a phone. */
const windows = { wide: { width: 1280, height: 860 }, phone: { width: 390, height: 844 } } as const;

/**
 * Writes what a page shows into docs/images as WebP, if DOC_PICTURES is set (`npm run docs:pictures`). The window stays
 * as large as the picture.
 */
export async function docPicture(
  page: Page,
  name: string,
  size: keyof typeof windows = 'wide',
): Promise<void> {
  if (process.env.DOC_PICTURES === undefined) return;
  await page.setViewportSize(windows[size]);
  // The bar of the demo, which covers what is below it.
  await page.evaluate(
    "document.querySelector('aside[aria-label=Demo]')?.style.setProperty('display', 'none')",
  );
  await page.evaluate('scrollTo(0, 0)');
  await page.waitForFunction(
    '[...document.images].every((one) => one.complete || one.getBoundingClientRect().top > innerHeight)',
  );
  const png = await page.screenshot({ animations: 'disabled' });
  const webp = await compressed(page, png);
  if (webp.length > MAX_BYTES) throw new Error(`${name} has ${webp.length} bytes`);
  await mkdir(join(projectRoot, 'docs/images'), { recursive: true });
  await writeFile(join(projectRoot, 'docs/images', `${name}.webp`), webp);
}

/** A picture as WebP: by the browser, which has an encoder. */
async function compressed(page: Page, png: Buffer): Promise<Buffer> {
  const empty = await page.context().newPage();
  try {
    const text = await empty.evaluate<string>(`(async () => {
      const image = new Image();
      image.src = 'data:image/png;base64,${png.toString('base64')}';
      await image.decode();
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width: image.naturalWidth, height: image.naturalHeight });
      canvas.getContext('2d').drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', 0.85);
    })()`);
    return Buffer.from(text.slice(text.indexOf(',') + 1), 'base64');
  } finally {
    await empty.close();
  }
}
