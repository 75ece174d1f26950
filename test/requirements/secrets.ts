/** Pages that are the instance's own, and secrets that leave it nowhere. */
export default [
  {
    id: 'OWNED-1',
    rule: 'rules stored over HTTP do not answer the pages of the instance and their files; their delays, failures and aborts act, and so do rules of files',
    where: 'testing 1',
  },
  {
    id: 'OWNED-2',
    rule: 'pages of the instance run only scripts that are named by hash, or from paths that no rule reaches',
    where: 'testing 1',
  },
  {
    id: 'QUIET-1',
    rule: 'in public mode, quiet requests are not captured, and the access log has them',
    where: 'testing 3',
  },
]
