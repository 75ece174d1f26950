/** Rules for the method QUERY. */
export default [
  {
    id: 'QUERY-1',
    rule: 'QUERY /query has its result, validators, Content-Location, Location and Accept-Query; both URLs answer GET for 60 s',
    where: 'drop-in 8.4, RFC 10008',
  },
  { id: 'QUERY-2', rule: 'equal queries have equal ids, other queries other ids', where: 'drop-in 8.4' },
  {
    id: 'QUERY-3',
    rule: '303 redirects to the result, 307 and 308 to a resource that takes the same QUERY',
    where: 'drop-in 8.4, RFC 10008 2.5',
  },
  {
    id: 'QUERY-4',
    rule: 'no type is 400, another one 415 with Accept-Query, what is not a query 422 with the nearest name',
    where: 'drop-in 8.4, RFC 10008 2',
  },
  { id: 'QUERY-5', rule: 'OPTIONS, HEAD and GET /query send Allow and Accept-Query', where: 'drop-in 8.4' },
  { id: 'QUERY-6', rule: 'routes of any method take QUERY, GET-only routes answer 405', where: 'drop-in 8.4' },
  { id: 'QUERY-7', rule: 'rules, filters, verification, HAR, curl lines and metrics take QUERY', where: 'drop-in 8.4' },
  { id: 'QUERY-8', rule: 'at most 1000 queries are kept, 100 in public mode', where: 'drop-in 10' },
] as const
