package redact

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/binary"
)

// A Key decides what stands for what. Who has it can tell which value a replacement stands
// for, so it is kept or forgotten, never published. It is not safe for concurrent use.
type Key struct {
	block cipher.Block
	sum   [aes.BlockSize]byte
	pad   [aes.BlockSize]byte
	count [aes.BlockSize]byte
}

// NewKey makes a Key of any bytes.
func NewKey(secret []byte) *Key {
	k := sha256.Sum256(append([]byte("dpdissect redact 1\x00"), secret...))
	block, err := aes.NewCipher(k[:])
	if err != nil {
		panic(err) // 32 bytes are a key
	}
	return &Key{block: block}
}

// What a keyed hash is for: equal bytes have another one for each.
const (
	forMAC = iota + 1
	forIPv4
	forIPv6
	forPort
	forValue
	forCount
)

// hash is a keyed hash: CBC-MAC, whose first block tells the length and what it is for.
func (k *Key) hash(what byte, turn uint32, b []byte) *[aes.BlockSize]byte {
	k.sum = [aes.BlockSize]byte{0: what}
	binary.LittleEndian.PutUint32(k.sum[4:], turn)
	binary.LittleEndian.PutUint64(k.sum[8:], uint64(len(b)))
	k.block.Encrypt(k.sum[:], k.sum[:])
	for len(b) > 0 {
		n := min(len(b), aes.BlockSize)
		for i, x := range b[:n] {
			k.sum[i] ^= x
		}
		k.block.Encrypt(k.sum[:], k.sum[:])
		b = b[n:]
	}
	return &k.sum
}

// id is a keyed hash that tells values apart.
func (k *Key) id(b []byte) uint64 {
	return binary.LittleEndian.Uint64(k.hash(forCount, 0, b)[:])
}

// secret replaces 8 bytes by others, one to one; zero stays, and nothing becomes zero.
func (k *Key) secret(s [8]byte) [8]byte {
	if s == [8]byte{} {
		return s
	}
	k.permute(s[:], anything)
	if s == [8]byte{} {
		k.permute(s[:], anything) // what zero would become is free
	}
	return s
}
