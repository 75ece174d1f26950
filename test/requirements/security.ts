/** Rules of access, and of the cost that one client may cause. */
export default [
  { id: 'SEC-5', rule: 'unforced reloads share one run per 250 ms; a forced one runs at once', where: 'core 10.4' },
  {
    id: 'SEC-6',
    rule: 'nothing that has ended keeps a replaced generation in memory',
    where: 'architecture, generations 6',
  },
  {
    id: 'SEC-7',
    rule: 'while the control plane requires no credential, pages of other origins and rebound names can neither read nor change the instance',
    where: 'core 5',
  },
  {
    id: 'SEC-8',
    rule: 'user-supplied documents run in a separate origin, are not service workers, and set no header that affects the whole origin',
    where: 'docs/security.md',
  },
  {
    id: 'SEC-9',
    rule: 'control credentials and, in shared mode, API keys are redacted by value wherever requests are stored',
    where: 'limits 4',
  },
  {
    id: 'SEC-10',
    rule: "two sessions that use the same request id neither see nor hide each other's entries",
    where: 'limits 4',
  },
  {
    id: 'SEC-12',
    rule: 'docs/security.md says what each mode promises, and what requests without credentials get in each',
    where: 'docs/security.md',
  },
  {
    id: 'SEC-13',
    rule: 'docs/hardening.md lists all budgets with their variables, and their defaults by mode',
    where: 'docs/hardening.md',
  },
  {
    id: 'SEC-11',
    rule: 'processes that start at once with one certificates folder end up with one CA',
    where: 'core 3',
  },
  {
    id: 'SEC-20',
    rule: 'the largest allowed request to any route, whose every text is a template, a pattern or a deep structure, takes at most 200 ms of processor time, and its answer fits the output budget',
    where: 'docs/hardening.md',
  },
  {
    id: 'SEC-21',
    rule: 'every place that expands, repeats, searches or resolves is listed with what bounds it',
    where: 'docs/hardening.md',
  },
]
