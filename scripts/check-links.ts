/**
 * Verifies every reference within the repository: links of the pages in docs, headings that they name,
 * pages and headings that comments and messages name, and files that pages name. A `§` must belong to a
 * standard outside, such as an EIP: rules of our own are headings with a name.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, join, normalize } from 'node:path';
import { headingsOf } from './headings.ts';

const root = join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));
const texts = new Map(
  files
    .filter((file) => /\.(md|ts|tsx|mjs|cjs|sol|sql|css|json|yaml|yml)$/.test(file))
    .filter(
      (file) => !/^package-lock\.json$|^abis\/.*\.json$|^(test|contracts)\/.*vectors\//.test(file),
    )
    .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
);

/** Rules of others that a `§` may refer to. */
const STANDARDS = /(EIP|ERC|RFC|CAIP)[- ]?\d+[^§]{0,20}$/;
const FOLDERS = 'engine|examples|sample|src|abis|contracts|web|test|bench|scripts|docs';

const findings: string[] = [];
for (const [file, text] of texts) {
  const report = (index: number, message: string) =>
    findings.push(`${file}:${text.slice(0, index).split('\n').length}: ${message}`);
  for (const { 0: mark, index } of text.matchAll(/§/g)) {
    if (
      file !== 'scripts/check-links.ts' &&
      !STANDARDS.test(text.slice(Math.max(0, index - 40), index))
    ) {
      report(index, `${mark} refers to nothing in this repository: name a page and a heading`);
    }
  }
  if (file !== 'scripts/check-links.ts') {
    for (const { 0: found, index } of text.matchAll(/\(docs: [^)]*/g)) {
      report(index, `${found}) names no page`);
    }
  }
  // Pages that comments and messages name: docs/reference/protocol.md#policy.
  for (const { 0: found, 1: page = '', 2: heading, index } of text.matchAll(
    /(?<![\w./-])((?:(?:docs|bench|examples)\/[\w/-]+|README|SECURITY|CONTRIBUTING)\.md)(?:#([\w-]+))?/g,
  )) {
    const wrong = brokenReference(page, heading);
    if (wrong !== undefined) report(index, `${found}: ${wrong}`);
  }
  if (extname(file) === '.md') checkPage(file, text, report);
}

for (const finding of findings) console.log(finding);
if (findings.length > 0) {
  console.error(`${findings.length} references lead nowhere.`);
  process.exitCode = 1;
}

function checkPage(file: string, text: string, report: (index: number, message: string) => void) {
  const prose = text.replace(/```[\s\S]*?```/g, (block) => block.replace(/[^\n]/g, ' '));
  for (const { 0: found, 1: target = '', index } of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^(https?:|mailto:)/.test(target)) continue;
    const [path = '', heading] = target.split('#');
    const wrong = brokenReference(
      path === '' ? file : normalize(join(dirname(file), path)),
      heading,
    );
    if (wrong !== undefined) report(index, `${found.slice(1)}: ${wrong}`);
  }
  // Files of this repository that a page names in code style.
  for (const { 1: path = '', index } of prose.matchAll(
    new RegExp(`\`((?:${FOLDERS})/[\\w./-]+\\.(?:ts|tsx|mjs|sql|sol|md|json))\``, 'g'),
  )) {
    if (!existsSync(join(root, path))) report(index, `${path}: no such file`);
  }
}

function brokenReference(path: string, heading: string | undefined): string | undefined {
  if (!existsSync(join(root, path))) return 'no such file';
  if (heading === undefined || extname(path) !== '.md') return undefined;
  const headings = headingsOf(texts.get(path) ?? readFileSync(join(root, path), 'utf8'));
  return headings.has(heading) ? undefined : `${path} has no heading #${heading}`;
}
