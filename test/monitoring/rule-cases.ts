import { alerts } from '../../scripts/monitoring/alerts.ts';
import { annotationsOf } from '../../scripts/monitoring/rules.ts';

/** File of `promtool test rules`: for each alert one case in which it fires, and one in which it does not. */
export function ruleCases(rulesFile: string, tested: typeof alerts = alerts): string {
  const tests = tested.flatMap((alert) => {
    const { name, severity, test } = alert;
    const { fires, quiet, at, labels } = test;
    const annotations = Object.entries(annotationsOf(alert)).map(([key, text]) => [
      key,
      text.replace(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? ''),
    ]);
    const expected = {
      exp_labels: { severity, ...labels },
      exp_annotations: Object.fromEntries(annotations),
    };
    const testCase = (
      title: string,
      series: Readonly<Record<string, string>>,
      alarms: object[],
    ) => ({
      name: title,
      interval: '1m',
      input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
      alert_rule_test: [{ eval_time: at, alertname: name, exp_alerts: alarms }],
    });
    return [
      testCase(`${name} fires`, fires, [expected]),
      testCase(`${name} does not fire`, quiet, []),
    ];
  });
  // JSON is YAML, too.
  return JSON.stringify({ rule_files: [rulesFile], evaluation_interval: '5m', tests });
}
