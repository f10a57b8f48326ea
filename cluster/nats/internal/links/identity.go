package links

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
	"time"
)

// newIdentity makes a key, with a certificate that only its fingerprint makes good.
func newIdentity() (c tls.Certificate, name fingerprint, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return c, name, err
	}
	now := time.Now()
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.Add(-day), NotAfter: now.Add(10000 * day)}
	signed, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		return c, name, err
	}
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}, sha256.Sum256(signed), nil
}

const day = 24 * time.Hour

var errStranger = errors.New("links: the key is not that of a machine that is known")

// settings are those of TLS for both sides. knows says whether the key of the other side is good.
func settings(own tls.Certificate, knows func(key fingerprint) bool) *tls.Config {
	return &tls.Config{
		Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS13, SessionTicketsDisabled: true,
		// There are no authorities: a key is known, or not.
		ClientAuth: tls.RequireAnyClientCert, InsecureSkipVerify: true,
		VerifyConnection: func(s tls.ConnectionState) error {
			if key, is := keyOf(&s); !is || !knows(key) {
				return errStranger
			}
			return nil
		},
	}
}

// keyOf returns the key of the other side of a connection.
func keyOf(s *tls.ConnectionState) (key fingerprint, is bool) {
	if len(s.PeerCertificates) == 0 {
		return key, false
	}
	return sha256.Sum256(s.PeerCertificates[0].Raw), true
}
