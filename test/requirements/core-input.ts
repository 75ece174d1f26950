/** Rules for parsing plain values in paths and queries. */
export default [
  {
    id: 'INPUT-1',
    rule: 'integers consist of digits, decimals have digits after the point; signs, exponents, spaces and empty texts are invalid',
    where: 'toolbox 1',
  },
  { id: 'INPUT-2', rule: 'if a query parameter is repeated, the first value counts', where: 'toolbox 1' },
  {
    id: 'INPUT-3',
    rule: 'an invalid query parameter gives 400 invalid_parameter with its name and a sentence',
    where: 'toolbox 1',
  },
  {
    id: 'INPUT-4',
    rule: 'a flag is true as a bare key or as 1, true, yes or on, case-insensitive',
    where: 'toolbox 1',
  },
  { id: 'INPUT-5', rule: 'a count above a cap is reduced to the cap, with X-Svc-Capped', where: 'toolbox 1' },
]
