/** Who may read and change what, and what one client may cost. */
export default [
  { id: 'SEC-5', rule: 'unforced reloads share one run per 250 ms; a forced one runs at once', where: 'core 10.4' },
]
