/** What the readers of plain values in paths and queries promise. */
export default [
  {
    id: 'INPUT-1',
    rule: 'integers are digits alone and decimals have digits behind their point; signs, exponents, blanks and empty texts are none',
    where: 'toolbox 1',
  },
  { id: 'INPUT-2', rule: 'of a repeated query parameter the first value counts', where: 'toolbox 1' },
  {
    id: 'INPUT-3',
    rule: 'a bad query parameter is 400 invalid_parameter with its name and a sentence',
    where: 'toolbox 1',
  },
  { id: 'INPUT-4', rule: 'a flag is true as a bare key or as 1, true, yes, on in any case', where: 'toolbox 1' },
  { id: 'INPUT-5', rule: 'a count above a cap is served as the cap, with X-Svc-Capped', where: 'toolbox 1' },
]
