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
  {
    id: 'SECRET-1',
    rule: 'one rule decides which names belong to secrets, without case, `_` and `-`',
    where: 'docs/security.md',
  },
  {
    id: 'SECRET-2',
    rule: 'only texts are replaced, and neither numbers of tokens nor codes of errors',
    where: 'docs/security.md',
  },
  {
    id: 'SECRET-3',
    rule: 'secrets are found in JSON, URLs, forms, XML and multipart texts, in linear time',
    where: 'docs/security.md',
  },
  {
    id: 'SECRET-4',
    rule: 'secrets of a request that are repeated in the response are replaced in every encoding',
    where: 'docs/security.md',
  },
  {
    id: 'SECRET-5',
    rule: 'options that their schema declares secret, values of headers and environment maps, and user info and query of URLs are shown nowhere',
    where: 'console 5, core 10.5',
  },
  {
    id: 'SECRET-6',
    rule: 'in public mode only the administrator sees the options of plugins',
    where: 'core 10.5',
  },
  {
    id: 'SECRET-7',
    rule: 'exported archives and records of model requests are redacted by the one rule for names of secrets',
    where: 'docs/security.md',
  },
]
