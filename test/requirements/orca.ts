/** Rules for load reports (ORCA). */
export default [
  {
    id: 'ORCA-1',
    rule: 'endpoint-load-metrics-format gets the report as TEXT, JSON or BIN; other formats are ignored',
    where: 'drop-in 6.3',
  },
  {
    id: 'ORCA-2',
    rule: 'X-Svc-Orca replaces values of the report in one response; a wrong one is 400 invalid_orca',
    where: 'drop-in 6.3',
  },
  {
    id: 'ORCA-3',
    rule: 'PUT, GET and DELETE /_svc/orca set, show and remove the report; in public mode the admin token is required',
    where: 'drop-in 6.3',
  },
  {
    id: 'ORCA-4',
    rule: 'without set values the load of the process and of providers with a capacity is reported',
    where: 'drop-in 6.3',
  },
  {
    id: 'ORCA-5',
    rule: 'in_band adds the report to every response, as a trailer of streamed bodies',
    where: 'drop-in 6.3',
  },
  { id: 'ORCA-6', rule: 'ORCA_CPU_UTILIZATION is the configured cpu_utilization', where: 'drop-in 6.3' },
  {
    id: 'ORCA-10',
    rule: 'gRPC calls have endpoint-load-metrics-bin when it is configured or requested',
    where: 'drop-in 6.3',
  },
  {
    id: 'ORCA-11',
    rule: 'orca_per_query_report and orca_oob_report of TestService are reported',
    where: 'drop-in 6.2',
  },
  {
    id: 'ORCA-12',
    rule: 'StreamCoreMetrics reports at once and in intervals, with the wanted request costs',
    where: 'drop-in 6.3',
  },
] as const
