/** Rules for `svc probe`: the tap, sessions, the command, the catalog of checks and reports. */
export default [
  {
    id: 'PRB-1',
    rule: 'a claimed request is shown as it arrived, next to requests of others on the same connection, which are answered',
    where: 'docs/probe.md',
  },
  { id: 'PRB-2', rule: 'the tap is armed four times at most, and never in public mode', where: 'docs/probe.md' },
]
