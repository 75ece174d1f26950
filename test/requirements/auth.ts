/** Rules of the auth checks. */
export default [
  {
    id: 'AUTH-1',
    rule: 'Checks accept every method, body and content type, and negotiate JSON or XML',
    where: 'identity 9',
  },
  {
    id: 'AUTH-2',
    rule: 'Basic credentials are UTF-8 and split at the first colon; the scheme is case-insensitive',
    where: 'identity 9',
  },
  {
    id: 'AUTH-3',
    rule: 'The API key is in the default header or the header in the path; the name is case-insensitive',
    where: 'identity 9',
  },
  {
    id: 'AUTH-4',
    rule: 'Rejections are 401 with authenticated false and the challenge of the scheme',
    where: 'identity 9 to 11',
  },
  {
    id: 'AUTH-5',
    rule: 'A JWT is verified with the reasons of the provider; iss and aud in the query set expected values',
    where: 'identity 10',
  },
  {
    id: 'AUTH-6',
    rule: 'Decode checks only the structure and responds with 400 if the token is not a JWT',
    where: 'identity 10',
  },
  {
    id: 'AUTH-7',
    rule: 'Exchange issues an HS256 token with the same claims except nbf, and the issuer svc',
    where: 'identity 10',
  },
  {
    id: 'AUTH-8',
    rule: 'HMAC credentials are found in Authorization, Proxy-Authorization and a bare Signature header',
    where: 'identity 11',
  },
  {
    id: 'AUTH-9',
    rule: 'The signing string follows the dialects: headers, request-line, (request-target), @request-target',
    where: 'identity 11',
  },
  {
    id: 'AUTH-10',
    rule: 'Date or X-Date must be present, valid and within the clock skew; 0 disables the check',
    where: 'identity 11',
  },
  { id: 'AUTH-11', rule: 'A signed digest is compared with the body', where: 'identity 11' },
  {
    id: 'AUTH-12',
    rule: 'HMAC failures name the first reason in order; the last two reasons include the signing string',
    where: 'identity 11',
  },
  {
    id: 'AUTH-13',
    rule: 'The client certificate of the TLS connection takes precedence over the header, and is returned with its details',
    where: 'identity 12',
  },
  {
    id: 'AUTH-14',
    rule: 'A certificate in the header can have any encoding that gateways use',
    where: 'identity 12',
  },
  { id: 'AUTH-15', rule: 'Unusable and rejected certificates are 401 with the reason', where: 'identity 12' },
  {
    id: 'AUTH-16',
    rule: 'The CA certificate and the client pair can be downloaded as JSON, XML and PEM, and work',
    where: 'identity 12',
  },
  { id: 'AUTH-17', rule: 'Common HMAC clients work unmodified', where: 'identity 14' },
  {
    id: 'AUTH-18',
    rule: 'Revoked tokens pass: only signature and claims are checked',
    where: 'identity 6; specification, Other state machines',
  },
]
