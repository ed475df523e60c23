package lab

import (
	"slices"
	"testing"

	"github.com/dpdissect/dpdissect/session"
	"github.com/dpdissect/dpdissect/session/conform"
)

// regressions are edited captures in which rules were once found broken by an endpoint that
// kept them. guard is what the rule lacks there, if its opportunity is still one.
var regressions = []struct {
	session, edits string
	rule           string
	guard          conform.Guard
}{
	// The second connection began unseen, with the PacketIDs of the first.
	{"knet/acks-word-first-page", "drop 2-27", "KN-CV-INITRATE", conform.GuardClean},
	{"knet/again-page", "drop 51-52; drop 41-53 b", "KN-RD-ACK-KNOWN", conform.GuardLife},
	// Another connection, with another session id, began 49 s after the HARD_DISCONNECTs.
	{"dp8/wild-7300147", "drop 178-184 a; drop 184-186", "DP8-3.1.5.1.4-IGNORED", conform.GuardLife},
	// A side repeated a SACK with a send mask every 5 s: one more was not captured.
	{"dp8/wild-21010002", "drop 55-56", "DP8-3.1.2.6-KEEPALIVE", conform.GuardNone},
	// The SACK that gave a number up before its acknowledgement came was not captured, a later one was.
	{"dp8/wild-12010397", "drop 94-100 a", "DP8-3.1.5.2.4-ACKED", conform.GuardClean},
	// The plain offer of the listener was not captured, and the connector's answer is signed.
	{"dp8/DP8-3.1.5.1.3-MIX signs an unsigned handshake", "drop 1-2", "DP8-SIG-FULL", conform.GuardNone},
	// A late copy of a SACK of the connection before: where that ended was not captured.
	{"dp8/wild-12010273", "copy 85 +915.278231ms; drop 49-52", "DP8-2.2.1-TICK-MONO", conform.GuardLife},
	// The side was not captured while the other one acknowledged far more than was: its numbers came round.
	{"dp8/wild-7300062", "drop 4-5; drop 6-7; drop 14-15; drop 17-19; drop 31-35; drop 38-42; drop 67-69; drop 71-72; drop 73-76; drop 80-88; drop 117-119; drop 121-123; drop 124-127; drop 254-260; drop 274-340; drop 350-374; drop 387-405; drop 408-438; drop 448-458; drop 479-491; drop 505-507; drop 517-542; drop 548-561; drop 563-591; drop 596-599; drop 608-609; drop 610-623; drop 632-639; drop 727-742; drop 765-776; drop 777-780; drop 827-831; drop 1345-1348; drop 1350-1351; drop 1352-1361 b; drop 1363-1364; drop 1375-1378; drop 1380-1384; drop 1524-1540 b; drop 1573-1687 b; drop 1689-1940; drop 1941-1953", "DP8-3.1.5.2.1-INC", conform.GuardNone},
	// So many numbers were not captured that they came round, and the secret of the next epoch was used.
	{"dp8/wild-130113014", "drop 110-123; drop 124-130; drop 131-142; drop 143-179; drop 180-196; drop 197-213; drop 214-233; drop 236-240; drop 242-246; drop 247-248; drop 260-261; drop 262-278; drop 279-320", "DP8-SIG-EARLY", conform.GuardNone},
	// The same: of those that were captured between, each was so far from all others that its number was provisional.
	{"dp8/wild-20261134", "drop 95-222; drop 223-239; drop 240-256; drop 257-287", "DP8-SIG-EARLY", conform.GuardNone},
	// The same, and the connection was cut off while the signatures of the side were in doubt for it.
	{"dp8/wild-20261134", "drop 77-141; drop 142-158; drop 159-175; drop 176-203; drop 205-221; drop 222-238; drop 239-266", "DP8-SIG-HDISCKEY", conform.GuardNone},
	// The same, in one gap: the side sent faster in it than ever before.
	{"dp8/wild-20261134", "drop 95-287", "DP8-SIG-EARLY", conform.GuardNone},
	{"dp8/wild-20261134", "drop 81-273", "DP8-SIG-HDISCKEY", conform.GuardNone},
	// A late copy of the CONNECTED, which was not captured when it came first.
	{"dp8/wild-2411249304", "copy 78 +961.991649ms; drop 72-78", "DP8-2.2.1-TICK-MONO", conform.GuardReord},
	// Another connection began unseen, and its number 39 was relayed and copied: not that of the first one.
	{"dp8/wild-2026113561", "copy 134 +300.190829ms; relay 134 +11.469469ms; drop 87-88", "DP8-2.2.2-RETRYBIT", conform.GuardNone},
	// The other side's numbers were placed a cycle higher after long gaps: the same bNRcv looked as if it had gone on.
	{"dp8/wild-2060617917", "drop 460-476; drop 485-490 a; drop 551-562; drop 567-581 a; drop 582-598 a; drop 613-614; drop 697-699; drop 701-719 a; drop 721-722; drop 794-795; drop 810-812; drop 820-821; drop 825-861; drop 862-874", "DP8-3.1.5.2.1-INC", conform.GuardNone},
	// Another connection began unseen, after a pause of 49 s.
	{"dp8/wild-88410065", "drop 122-124; drop 126-130; drop 142-144", "DP8-2.2.2-KA-SESSID", conform.GuardLife},
	// One side sent without signatures: whether the connection is signed is not known.
	{"dp8/DP8-SIG-UNSIGNED-ACTED acknowledges the signed one", "relay 9 +24.098859ms; drop 0-4", "DP8-2.2.1.5-LEN", conform.GuardVer},
	// 5 was sent, acknowledged and not captured; then its sender gave 5 new content.
	{"dp8/DP8-3.1.5.2.1-INC new content under an old number", "drop 17-19", "DP8-3.1.5.2.2-GAPACK", conform.GuardClean},
	// The listener's CONNECTED_SIGNED overtook the CONNECT; its POLL said that the listener is the connector.
	{"dp8/DP8-2.2.1.3-POLL-LISTENER listener clears POLL", "swap 0", "DP8-2.2.1.3-POLL-LISTENER", conform.GuardNone},
	// One side signed a single frame; nothing else told whether the connection is signed.
	{"dp8/DP8-2.2.2-SIG-ABSENT signs a KeepAlive of an unsigned connection", "drop 1-3", "DP8-2.2.3-FIT", conform.GuardNone},
	// The first transmissions of PacketID 11 were not captured.
	{"knet/KN-CV-MAXSEND sends 50 times", "drop 0-99 a", "KN-DG-ID-INC", conform.GuardClean},
	// PacketID 3000 was captured, in a datagram with a fault that may have been the connect datagram.
	{"knet/KN-DG-VLE-MIN writes a base longer than needed", "drop 2-53 a", "KN-RD-ACK-KNOWN", conform.GuardNone},
	// The connect datagram came twice: the server took the second one for a datagram, and acknowledged it.
	{"knet/wild-1727", "", "KN-RD-ACK-KNOWN", conform.GuardNone},
	// The Disconnect of a second connection, whose start was not captured.
	{"knet/wild-810051", "drop 49-52", "KN-CV-DISCTO", conform.GuardNone},
	// A second connection began unseen, with the PacketIDs of the first.
	{"knet/KN-CL-AFTER-DISC answers a Disconnect that crossed its own", "drop 36-38", "KN-CL-AFTER-ACK", conform.GuardNone},
	// The first datagram of a second connection has the PacketID of one that was not captured.
	{"knet/wild-810095", "drop 1-2; drop 53-54", "KN-RT-PONG-MATCH", conform.GuardClean},
	// Acknowledgements were not captured: whose the fragments before the start are stays open.
	{"knet/wild-810081", "drop 1-11 b", "KN-FR-COMPLETE", conform.GuardNone},
	// The same, with the next start.
	{"knet/wild-810067", "drop 1-5 b; drop 14-15", "KN-FR-ID-REUSE", conform.GuardNone},
	// The side of the send mask was not captured for 1.6 s, in which its numbers began again.
	{"dp8/wild-810029", "drop 3-5; drop 9-13; drop 18-27 a; drop 34-43; drop 62-78; drop 79-80; drop 106-108; drop 109-134; drop 163-165; drop 169-174; drop 178-179; drop 184-268 a; drop 269-284; drop 315-325; drop 326-328; drop 330-331; drop 345-354; drop 357-368 a; drop 370-388; drop 389-390; drop 410-423; drop 425-427; drop 435-446; drop 451-499 a", "DP8-3.1.5.2.4-UNSENT", conform.GuardNone},
	// Numbers had gone on by half a cycle, unseen.
	{"dp8/full-signed-rotation", "drop 145-290 a; drop 292-307 a", "DP8-3.1.5.2.1-RANGE", conform.GuardNone},
	// A late copy of the first CONNECT, after the notice that refuses it.
	{"dp8/refused", "copy 2 +762.267313ms; copy 0 +432.829781ms", "DP8-2.2.1-TICK-MONO", conform.GuardNone},
	// Another connection after HARD_DISCONNECT, of which the handshake was not captured.
	{"dp8/wild-810056", "drop 219-222; drop 223-224", "DP8-2.2.2-KA-SESSID", conform.GuardLife},
	// The same, where the HARD_DISCONNECTs are cut.
	{"dp8/wild-810056", "cut 214 15; cut 215 15; cut 216 15; cut 217 15; cut 218 15", "DP8-2.2.1.5-NSEQ", conform.GuardLife},
	// The clock of the capture goes in steps of 1 s, and a relay sent the frame on.
	{"dp8/DP8-3.1.5.1.4-IGNORED goes on with data", "relay 24 +7.835794ms; coarse 1s", "DP8-2.2.2-RETRYBIT", conform.GuardClock},
	// A relay doubled a retry, and a coarse clock shows them 31 ms apart.
	{"dp8/killed-peer", "coarse 15.625ms; relay 162 +19.995246ms", "DP8-3.1.2.5-BACKOFF", conform.GuardDup},
	// The frames after the pause are of another connection.
	{"dp8/address-reuse", "drop 24-60 b; drop 61-62; drop 63-64; drop 65-68 a", "DP8-3.1.2.6-KEEPALIVE", conform.GuardNone},
	// An acknowledgement overtook a frame that came late.
	{"dp8/DP8-3.1.5.2.1-INC is overtaken", "swap 28; swap 33", "DP8-3.1.5.2.1-INC", conform.GuardNone},
	// The connector's answer overtook the offer, whose mode it changes.
	{"dp8/DP8-2.2.1.3-OPTS-MATCH connector says fast", "swap 1", "DP8-2.2.1.3-OPTS-MATCH", conform.GuardClean},
	// A SACK with a bNSeq too low, and acknowledgements of what was not captured.
	{"dp8/DP8-2.2.1.5-NSEQ a number sent before", "drop 17-18; drop 20-21; drop 23-24; drop 26-27", "DP8-3.1.5.2.2-MAX", conform.GuardClean},
	// The first acknowledgement after ID 7, whose history acknowledges that, too, was not captured.
	{"hazel/wild-2411249189", "", "HZ-REL-RESEND", conform.GuardOdds},
	// More acknowledgements of what was not captured than are watched.
	{"hazel/HZ-REL-ID-DENSITY runs away from a packet it sends in vain", "drop 44-55 a", "HZ-REL-ACK-KNOWN", conform.GuardHold},
	// A transmission was not captured, so that two times look like one.
	{"hazel/HZ-REL-BACKOFF grows by half as in 2018", "drop 83-84", "HZ-REL-BACKOFF", conform.GuardClean},
	// The first transmission of ID 4 was not captured.
	{"hazel/wild-810031", "drop 2-15; drop 18-19; drop 22-30 b; drop 33-66 b; drop 67-69; drop 78-79; drop 157-158", "HZ-REL-ID-SEQ", conform.GuardClean},
	// The side had come to 82 unseen; what seemed to go on at 50 was sent again.
	{"hazel/wild-72051", "drop 145-147; drop 154-155; drop 158-161; drop 162-172 a; drop 174-195 a; drop 199-203 a; drop 208-210; drop 216-219; drop 224-227; drop 233-235; drop 240-243; drop 249-250; drop 251-264 a; drop 266-269; drop 278-280; drop 289-290; drop 296-298; drop 308-310; drop 313-316 a; drop 321-337 a; drop 344-346", "HZ-REL-ID-SEQ", conform.GuardNone},
	{"hazel/wild-75113", "drop 40-41; drop 44-55 b; drop 56-70; drop 72-74; drop 76-79; drop 81-84; drop 88-91; drop 92-96 b; drop 99-100; drop 101-108; drop 112-118; drop 119-124; drop 126-127; drop 128-129; drop 130-131; drop 132-139 a; drop 139-140; drop 141-148; drop 149-154 b; drop 154-162; drop 166-168; drop 172-174; drop 176-178; drop 181-182; drop 186-188; drop 189-192; drop 196-203; drop 204-207; drop 209-211; drop 214-215; drop 216-222 b; drop 224-225; drop 227-232 b; drop 237-239", "HZ-REL-ID-SEQ", conform.GuardNone},
	// Both sides keep alive at the same time, and one keepalive was not captured.
	{"hazel/open-spec", "drop 50-51; drop 58-59", "HZ-KA-EARLY", conform.GuardNone},
	{"hazel/killed-open-spec", "drop 56-60", "HZ-KA-EARLY", conform.GuardNone},
	// Of 300 acknowledgements, five were not captured.
	{"hazel/HZ-HDR-FRAG-COMPLETE leaves a message unfinished", "drop 67-68; drop 131-132; drop 283-284; drop 695-696; drop 715-716", "HZ-REL-RESEND", conform.GuardOdds},
	// A client began again after both Disconnects; its Hello was not captured.
	{"hazel/restart", "drop 87-88; drop 90-93 a; drop 111-114 a; drop 123-125; drop 136-139 a; drop 143-144", "HZ-REL-RESEND-SAME", conform.GuardLife},
	// Numbers went on unseen by half a cycle, and a copy came late.
	{"dp4/wraps", "copy 511 +608.372649ms; drop 228-268 a; drop 269-391", "DP4-2.2.4-SENT", conform.GuardClean},
	// Numbers came round unseen: a new connection seems to begin.
	{"dp4/wraps", "drop 102-105; drop 107-113; drop 115-264 a", "DP4-2.2.4-SENT", conform.GuardNone},
	// A resend with serial 0 seemed a first transmission.
	{"dp4/DP4-2.2.2-SERIAL-SINGLE sends again without counting", "drop 65-71 a; drop 78-79; drop 85-99 a; drop 106-111 a", "DP4-2.2.4-SENT", conform.GuardClean},
	// Numbers had gone on by half a cycle, unseen.
	{"dp8/DP8-3.1.5.2.6-NEW-AFTER-END splits a message", "drop 323-324; drop 330-333; drop 109-261 a", "DP8-3.1.5.2.1-RANGE", conform.GuardNone},
	// Its own SACKs said that 5 had been sent.
	{"dp8/DP8-3.1.5.2.1-INC new content under an old number", "drop 17-18; drop 20-21; drop 23-24; drop 26-27", "DP8-3.1.5.2.2-GAPACK", conform.GuardClean},
	// Provisional frames that are believed later were captured before.
	{"dp8/wild-820035", "drop 188-202; drop 245-247; drop 274-283; drop 289-292; drop 304-310; drop 353-354; drop 477-478; drop 518-519; drop 535-561; drop 562-568; drop 603-619; drop 621-651; drop 693-697 b; drop 707-711; drop 713-714; drop 724-732; drop 736-739", "DP8-3.1.5.2.2-MAX", conform.GuardNone},
	// Its handshake cut, the second connection is taken for one below 1.5, and its coalesced payloads for one.
	{"dp8/wild-820014", "cut 97 4; cut 99 4; cut 100 4", "DP8-3.1.5.2.1-REUSE", conform.GuardVer},
	// Only a CONNECTED tells of another connection after the pause.
	{"dp8/address-reuse", "drop 24-60 b; drop 61-62; drop 63-64; drop 65-69 a; drop 70-71", "DP8-3.1.2.6-KEEPALIVE", conform.GuardNone},
	// The client began again, unseen, and the server with it.
	{"hazel/restart", "drop 84-86; drop 87-88; drop 96-103 b; drop 112-113; drop 119-121; drop 128-130", "HZ-REL-RESEND-SAME", conform.GuardLife},
	// A second connection began unseen.
	{"knet/again-reference", "drop 12-17 b; drop 17-18; drop 20-33 b; drop 33-36; drop 40-46 b; drop 46-53; drop 54-57", "KN-DG-ID-UNIQUE", conform.GuardLife},
	// Numbers had come round unseen.
	{"dp8/wild-930012", "drop 503-570; drop 571-587; drop 588-605; drop 606-623; drop 624-636", "DP8-2.2.1.5-NSEQ", conform.GuardUnwrap},
	// A relay doubled a retry.
	{"dp8/wild-990399", "relay 64 +10.17612ms", "DP8-3.1.2.5-MAX", conform.GuardNone},
	// The clock shows seconds, and numbers came round in one.
	{"dp8/wild-990271", "drop 459-462; drop 463-469; drop 470-476; drop 483-484; drop 521-523; drop 525-526; drop 527-540; drop 541-551; drop 556-581; drop 582-598; drop 599-619; drop 620-655; drop 657-752; coarse 1s", "DP8-3.1.5.2.1-REUSE", conform.GuardNone},
	// Numbers went on unseen by half a cycle.
	{"dp4/wild-990336", "drop 47-50; drop 59-68 b; drop 74-76; drop 86-124 b; drop 125-127; drop 130-134 b; drop 139-140; drop 142-145; drop 147-150; drop 155-174; drop 180-184; drop 218-220; drop 237-246 b; drop 247-248; drop 255-260 b; drop 269-302; drop 309-313", "DP4-2.2.4-SENT", conform.GuardNone},
	// Numbers went on by half a cycle, unseen.
	{"dp8/wild-990393", "drop 707-710; drop 711-795; drop 796-821; drop 822-850; drop 851-878; drop 879-898; drop 899-910; drop 911-930; drop 931-932; drop 231-232; drop 237-239; drop 243-245; drop 250-252; drop 256-257; drop 266-268; drop 274-276; drop 281-283; drop 289-290; drop 297-299; drop 305-307; drop 313-314; drop 319-320; drop 331-336 a; drop 340-341; drop 350-352; drop 357-358; drop 368-369; drop 375-378 a; drop 379-380; drop 382-383; drop 386-388; drop 392-396 a; drop 400-401; drop 405-406; drop 410-412", "DP8-3.1.5.2.2-MONO", conform.GuardUnwrap},
	// Sequences wrapped unseen; of those captured after the gap each is 18 and more ahead of the one before.
	{"dp4/DP4-3.1.3-TICK-MONO wraps", "drop 271-272; drop 306-379; drop 380-400; drop 403-411; drop 412-424 a; drop 426-430; drop 432-466 a", "DP4-2.2.2-SEQ-UNIQUE", conform.GuardNone},
	// The same, half a cycle after the last one that was believed.
	{"dp4/DP4-3.1.3-TICK-MONO wraps", "drop 271-272; drop 306-379; drop 380-401; drop 403-444 a; drop 446-450; drop 451-466", "DP4-2.2.2-SEQ-UNIQUE", conform.GuardNone},
	// A sequence ahead of a gap was reached again in the next round.
	{"dp4/DP4-3.1.3-TICK-MONO wraps", "drop 306-379; drop 380-386; drop 387-466 a", "DP4-2.2.2-SEQ-UNIQUE", conform.GuardNone},
	{"dp4/DP4-3.1.3-TICK-MONO wraps", "drop 179-180; drop 304-379; drop 380-386; drop 387-464 a", "DP4-2.2.2-SEQ-UNIQUE", conform.GuardNone},
	// The side went on after a gap in which numbers may have come round.
	{"dp4/DP4-3.1.3-TICK-MONO wraps", "drop 425-472 b; drop 479-498; drop 499-580 a", "DP4-2.2.2-SEQ-INC", conform.GuardUnwrap},
	// Parts of a message that were sent again: their first transmissions were not captured.
	{"dp4/wild-8010111", "drop 38-65 a; drop 66-69; drop 70-79 a; drop 81-88; drop 90-91; drop 94-121; drop 122-149; drop 150-153", "DP4-2.2.2-SEQ-INC", conform.GuardNone},
	// Numbers came round unseen: the parts on both sides of a coalesced frame are of another round.
	{"dp8/DP8-3.1.4.4-ORDER sends a part again", "drop 107-260 a; drop 312-313; swap 352", "DP8-3.1.5.2.6-COAL-MID", conform.GuardNone},
	// A connection of version 1.4, of which one side's handshake was not captured: four bytes of payload look like an id.
	{"dp8/wild-3020031", "drop 114-115", "DP8-2.2.2-KA-ACTED", conform.GuardVer},
	// Few round trips of the other side were captured, all of them late.
	{"dp8/wild-3010028", "drop 565-623 a", "DP8-3.1.2.5-FIRST", conform.GuardRTT},
	// A resend with serial 0 seemed a first transmission, and no more of its side was captured; more bytes had arrived than were.
	{"dp4/DP4-2.2.2-SERIAL-SINGLE sends again without counting", "drop 65-71 a; drop 78-79; drop 85-99 a; drop 106-111 a; drop 113-117; drop 120-123; drop 129-132; drop 133-159", "DP4-2.2.4-SENT", conform.GuardClean},
	// Many numbers went by unseen; those after a provisional frame are far from it, too.
	{"dp8/DP8-3.1.4.4-CC-INIT leaves all of dp8/full-signed-rotation as it is", "drop 299-302; drop 303-304; drop 306-308; drop 384-385; drop 409-433 a; drop 434-442 a; drop 446-447; drop 502-552 b; drop 554-576; drop 577-581 a; drop 581-628; drop 629-650", "DP8-3.1.5.2.1-RANGE", conform.GuardNone},
	// Numbers of another connection after the pause, that come to those of the one before it later.
	{"dp8/address-reuse", "drop 24-60 b; drop 61-62; drop 63-64; drop 65-69; drop 70-71", "DP8-3.1.2.6-KEEPALIVE", conform.GuardNone},
	{"dp8/wild-990102", "drop 207-223 a; drop 223-224; drop 226-229", "DP8-3.1.2.6-KEEPALIVE", conform.GuardNone},
	// Two frames were believed long after they came, and numbers had come round in between.
	{"dp8/DP8-SIG-FULL signs masks and retries", "copy 260 +549.402µs; drop 2-3; drop 13-14; drop 22-26; drop 33-36 a; drop 45-53 a; drop 63-65; drop 77-84 a; drop 85-88; drop 90-95 a; drop 97-99; drop 105-107; drop 109-195; drop 197-274; drop 275-439 a; drop 439-515", "DP8-3.1.5.2.1-INC", conform.GuardNone},
	// A connection of version 1.4, of which the handshake was not captured: bit 02 asks for an acknowledgement.
	{"dp8/wild-3020008", "copy 37 +5.769908ms; drop 0-3 a; drop 640-641; drop 715-716", "DP8-2.2.2-HDRLEN", conform.GuardNone},
	// A relay doubled a copy of the CONNECT.
	{"dp8/wild-3020071", "swap 1; relay 1 +23.906842ms", "DP8-2.2.1.1-MSGID-INC", conform.GuardNone},
	// A frame was believed three seconds later; what came in between had wrapped.
	{"dp8/wild-1100033", "drop 112-193; drop 194-201; drop 202-208; drop 209-226 a; drop 229-233 a; drop 234-236; drop 237-288", "DP8-3.1.4.3-LAST", conform.GuardUnwrap},
	// Six answers to POLLs were not captured, one after another: the next frame's was taken for each.
	{"dp8/wild-990376", "drop 355-357; drop 360-363 a; drop 366-369 a; drop 372-375 a; drop 378-387 a; drop 390-393 a", "DP8-2.2.1.5-POLLACK", conform.GuardOdds},
	// Another session's CONNECTED was captured, and its KeepAlive long after; its CONNECT was not.
	{"dp8/wild-4200142", "drop 1520-1521; drop 1522-1529 a; drop 1529-1530", "DP8-2.2.2-KA-SESSID", conform.GuardLife},
	// The network doubled the CONNECT before the capture, and each was answered; answers were not captured.
	{"dp8/wild-4200052", "drop 3-7 b", "DP8-2.2.1.2-RSPID", conform.GuardClean},
	// A NACK said that 59 had come, before any transmission of it was captured.
	{"dp4/wild-4100080", "drop 0-10 a; drop 12-14; drop 19-34 a; drop 35-44 a; drop 45-49; drop 50-93 a; drop 94-96; drop 100-106 a; drop 140-153; drop 154-157; drop 160-166", "DP4-2.2.2-MSGID-WINDOW", conform.GuardOdds},
	// Two packets were believed two seconds later, a cycle further than those in between.
	{"dp4/DP4-3.1.3-TICK-MONO wraps", "drop 271-272; drop 306-379; drop 380-401; drop 403-444 a; drop 446-450; drop 451-466", "DP4-2.2.2-SEQ-UNIQUE", conform.GuardNone},
	// A network doubled the packet after the capture point, and its receiver does not count copies.
	{"dp4/wild-88100038", "", "DP4-2.2.4-CUM", conform.GuardNone},
	// A late copy of an ACK that was not captured, after ACKs of what was sent again.
	{"dp4/wild-87100005", "drop 75-76; relay 75 +20.441797ms", "DP4-3.1.3-TICK-MONO", conform.GuardNone},
	// Twenty ACKs named the same packet: one round trip, and no short one.
	{"dp4/wild-94100007", "drop 149-150", "DP4-2.2.2-MSGID-WINDOW", conform.GuardNone},
	// Neither the end of a connection nor the whole handshake of the next one was captured.
	{"dp8/wild-4700139", "drop 2-58 a; drop 67-68; drop 73-79 a; drop 83-88 a; drop 120-122", "DP8-3.1.5.2.2-MAX", conform.GuardNone},
	// A second connection began unseen, eight seconds later, with PacketIDs the first one had.
	{"knet/wild-4500101", "drop 14-19 b; drop 21-67 b; drop 69-79 b; drop 82-88 b; drop 75-78 a", "KN-DG-ID-UNIQUE", conform.GuardNone},
	{"knet/wild-4500101", "drop 14-19 b; drop 21-67 b; drop 69-79 b; drop 82-88 b; drop 75-78 a", "KN-DG-ID-INC", conform.GuardUnwrap},
	// Nothing of the connector was captured after the handshake but its end: the handshake took 50 ms.
	{"dp8/wild-5100075", "drop 187-2174 a", "DP8-3.1.4.4-CC-INIT", conform.GuardNone},
	// A frame was believed when others after it had acknowledged more.
	{"dp8/wild-6300123", "drop 629-630", "DP8-3.1.5.2.2-MONO", conform.GuardNone},
	// A second connection began unseen, with the same datagrams under the same PacketIDs.
	{"knet/KN-CL-AFTER-DISC answers a Disconnect that crossed its own", "drop 34-37 a; drop 37-38; drop 69-70", "KN-RD-ACK-UNREL", conform.GuardNone},
	{"knet/KN-CL-AFTER-DISC answers a Disconnect that crossed its own", "drop 34-37 a; drop 37-38; drop 42-43; drop 46-48; drop 52-53; drop 56-57; drop 60-61; drop 64-68 a", "KN-CL-AFTER-DISC", conform.GuardNone},
	// The same, of which nearly nothing was captured.
	{"knet/KN-CL-AFTER-DISC answers a Disconnect that crossed its own", "drop 34-37 a; drop 37-40; drop 42-68 a", "KN-CL-AFTER-DISC", conform.GuardNone},
	// PacketIDs wrapped to 0 as a connection ended, and the next one, which began unseen, had 1.
	{"knet/wild-7300094", "drop 19-20", "KN-RT-ID-INC", conform.GuardLife},
	// A datagram was set apart, for its PingReply came before the request; then a copy of it came.
	{"knet/wild-60697", "swap 30", "KN-RT-ID-INC", conform.GuardNone},
	// Of a side that went on unseen from 8 to 73 one datagram was captured, with PacketID 41.
	{"knet/wild-9057929", "drop 2-50 b; drop 58-63 b; drop 63-66; drop 68-113 b", "KN-DG-ID-INC", conform.GuardUnwrap},
	// Copies of packets that came when their sequences, 132 numbers later, meant others.
	{"dp4/wild-140114036", "copy 64 +762.59437ms", "DP4-2.2.2-SEQ-INC", conform.GuardNone},
	{"dp4/wild-90100097", "copy 62 +815.113161ms", "DP4-2.2.2-SEQ-INC", conform.GuardNone},
	// Half a cycle of sequences went by unseen: those that went on seemed to lie below all others.
	{"dp4/wild-140114028", "drop 32-33; drop 34-36; drop 37-40; drop 78-79; drop 83-90 b; drop 92-94; drop 124-134 b; drop 135-143 b; drop 178-218 b; drop 220-222; drop 253-268 b; drop 273-326 b; drop 426-427", "DP4-2.2.2-MSGID-SEQ", conform.GuardNone},
	// No NACK was captured, but packets were sent again sooner than a timer does it.
	{"dp4/wild-140114100", "drop 53-54; drop 68-73; drop 82-84; drop 86-88", "DP4-2.2.4-SERIAL", conform.GuardClean},
	// A packet that was not captured came before the one in front of it, and was counted then.
	{"dp4/wild-231100106", "drop 286-287", "DP4-2.2.4-CUM-GAP", conform.GuardNone},
	// Four acknowledgements of a datagram were lost after the capture point, and others with them.
	{"knet/wild-61514", "", "KN-RD-NORESEND", conform.GuardKnew},
	// A connection ended, and the next one, which began unseen, acknowledged a PacketID that both had.
	{"knet/wild-61714", "drop 26-30 a; drop 30-31; drop 35-36", "KN-RD-ACK-UNREL", conform.GuardNone},
	// After ACKs of copies that a network made, the late ACK of the first one.
	{"dp4/wild-515159156", "", "DP4-3.1.3-TICK-MONO", conform.GuardNone},
	// A connection began unseen: its message 2 was sent again, and the one before it had another.
	{"knet/wild-830020109", "drop 82-88; drop 89-90", "KN-DG-ID-UNIQUE", conform.GuardLife},
	// Times are multiples of 1/64 s.
	{"knet/wild-830020083", "coarse 15.625ms; swap 1", "KN-SM-PENDING", conform.GuardClock},
	// The second packet and the report that it caused were not captured.
	{"dp4/DP4-3.1.5.3-RETX sends its first packet again, reported missing", "drop 1-3", "DP4-3.1.2-RTO-INIT", conform.GuardClean},
	// Few round trips of the other side, and of the handshake only what the connector sent, were captured.
	{"dp8/wild-940030059", "drop 212-213; drop 218-221; drop 222-223; drop 233-236; drop 237-238; drop 239-240; drop 241-243; drop 256-265 b; drop 266-267; drop 281-303 b; drop 341-372; drop 375-404 b; drop 407-425 b; drop 427-429; drop 430-431; drop 435-436; drop 437-438; drop 440-441; drop 447-449; drop 450-451; drop 454-456; drop 459-466 b; drop 469-471; drop 474-478 b; drop 486-488", "DP8-3.1.4.4-CC-INIT", conform.GuardNone},
	// Nothing of the connector was captured after its CONNECT, so that few round trips tell how short one is.
	{"dp8/wild-2411249157", "drop 195-353 a", "DP8-3.1.4.4-CC-INIT", conform.GuardRTT},
	// Late in a session, its connector's confirmation was missed with much that followed.
	{"dp8/wild-5511270360", "drop 1885-3333 a", "DP8-3.1.4.4-CC-INIT", conform.GuardRTT},
	// The connector was not captured until its numbers had come round.
	{"dp8/wild-7711270198", "drop 3-4; drop 177-178; drop 183-184; drop 185-186; drop 191-192; drop 195-196; drop 198-199; drop 201-441 a", "DP8-3.1.5.1.3-KA-CONNECTOR", conform.GuardUnwrap},
	// Datagrams that the side sent again seemed to show where it was; those between were not captured.
	{"knet/wild-5511270141", "drop 4-59 b", "KN-DG-ID-INC", conform.GuardClean},
	// A PacketAck was read with its bits in the other order: it seemed to name the datagram with another one.
	{"knet/wild-312890", "drop 56-57", "KN-RD-NORESEND", conform.GuardKnew},
	// The same: what it named was captured later.
	{"knet/wild-311325", "swap 30", "KN-RD-ACK-UNREL", conform.GuardDial},
	// A fragment was in what the capture cut.
	{"knet/wild-100768", "cut 12 43", "KN-FR-COMPLETE", conform.GuardNone},
	// A second connection began unseen, with the PacketIDs that came next.
	{"knet/wild-102582", "drop 34-36", "KN-RT-ID-INC", conform.GuardLife},
	// The start of the transfer whose fragments came first was not captured, nor anything of its side after them.
	{"knet/wild-316133", "drop 40-51 a", "KN-FR-NUM-UNIQUE", conform.GuardHold},
	// A clock that goes in steps of 1 s was set back: its times were no whole seconds any more.
	{"dp4/wild-88112700141", "coarse 1s; relay 331 +21.745758ms; shift -10m11.249541s", "DP4-2.2.2-SERIAL-SINGLE", conform.GuardNone},
	{"hazel/wild-88112700476", "coarse 1s", "HZ-REL-NORESEND", conform.GuardClock},
	// The send mask of a retry, which counts from a lower number, names what masks before it named.
	{"dp8/wild-88112701116", "drop 512-513", "DP8-3.1.5.2.4-ACKED", conform.GuardNone},
	// The Disconnects were cut, and a second connection began with PacketIDs of the first.
	{"knet/wild-88112701076", "cut 72 13; cut 73 13", "KN-RD-NORESEND", conform.GuardKnew},
	// The listener was not captured until its numbers had come round, 0.7 s after the handshake.
	{"dp8/wild-88112701124", "drop 524-543 b; drop 558-575; drop 588-589; drop 592-611 b; drop 620-630; drop 638-641; drop 655-658; drop 671-674; drop 689-695 b; drop 699-702; drop 720-721; drop 729-739 b; drop 746-781 b; drop 789-791; drop 796-806 b", "DP8-3.1.5.1.3-KA-LISTENER", conform.GuardUnwrap},
	// Both sides had ended; what goes on is a connection that began unseen.
	{"dp8/wild-990312700815", "drop 120-121; drop 127-128; drop 209-210; drop 208-211 a", "DP8-3.1.2.4-SPACING", conform.GuardHold},
	// A second connection, of which little was captured, has another secret than was concluded from the first.
	{"dp8/wild-990312700379", "drop 0-4; drop 5-6; drop 179-184; drop 185-186", "DP8-SIG-FAST", conform.GuardLife},
	// 48 s later, a connection that began unseen.
	{"dp8/wild-4400911270435", "drop 243-244; drop 237-245 a", "DP8-3.1.2.4-SPACING", conform.GuardLife},
	// Both sides had ended or reset a connection whose secrets were concluded; 45 s later, one that began unseen.
	{"dp8/wild-20261128083", "drop 5-7; drop 8-9", "DP8-SIG-ACTED", conform.GuardNone},
	{"dp8/wild-20261127907", "drop 0-2; drop 8-11", "DP8-SIG-FAST", conform.GuardLife},
	// Serials went on by three from one captured transmission to the next, sooner than three timers: reports had come, unseen.
	{"dp4/wild-2026113011", "drop 756-766; drop 767-770; drop 772-777 b; drop 795-823; drop 827-830; drop 833-835; drop 840-841; drop 844-845; drop 848-849; drop 850-851; drop 857-859; drop 861-862; drop 864-865; drop 884-886; drop 887-910; drop 914-915; drop 916-917; drop 921-923; drop 925-926; drop 932-933", "DP4-2.2.4-SERIAL", conform.GuardClean},
	// The connection shows which protocol it speaks by its end alone; its listener has version 1.4.
	{"dp8/wild-2026112826", "drop 85-106", "DP8-2.2.1.2-MINOR", conform.GuardNone},
	// Half a cycle of sequences went by unseen: those that went on seemed to lie below the first one.
	{"dp4/wild-2027020597", "drop 82-85; drop 126-127; drop 170-171; drop 181-217; drop 224-225; drop 238-239; drop 242-244; drop 271-274; drop 319-320; drop 389-392; drop 400-403; drop 455-460; drop 479-512; drop 517-528 a; drop 531-532; drop 537-539; drop 551-558; drop 573-576; drop 588-589; drop 596-606", "DP4-2.2.2-EOM-LAST", conform.GuardNone},
	// The same.
	{"dp4/wild-2027040463", "drop 63-91; drop 99-100; drop 109-336 a; drop 347-366; drop 367-370", "DP4-2.2.2-EOM-LAST", conform.GuardNone},
	// An ACK named a packet that came again; the one that had acknowledged all above it was not captured.
	{"dp4/wild-2027020312", "drop 665-666; drop 0-1; drop 3-6; drop 30-32; drop 53-55; drop 80-82; drop 102-105; drop 131-134; drop 146-148; drop 173-175; drop 181-184; drop 210-212; drop 218-222 a; drop 232-236; drop 254-255; drop 263-266 a; drop 275-276; drop 292-293; drop 308-312; drop 320-321; drop 357-358; drop 383-384; drop 391-399 a; drop 403-415 a; drop 420-425 a; drop 473-479; drop 484-485", "DP4-2.2.2-MSGID-WINDOW", conform.GuardOdds},
	// Another connection began unseen, whose secret is another one.
	{"dp8/wild-2027020349", "drop 83-86 b; cut 109 77", "DP8-SIG-ACTED", conform.GuardNone},
	// Numbers went on by half a cycle, unseen, and the first that was believed is a little below those before.
	{"dp8/wild-2027020455", "drop 0-4; drop 7-10; drop 15-24; drop 30-44; drop 45-47; drop 57-59; drop 60-75; drop 79-82; drop 85-86; drop 90-98; drop 102-130 b; drop 131-153; drop 154-175 b; drop 176-199; drop 200-229; drop 231-236; drop 238-248 b; drop 248-251; drop 252-270; drop 271-304; drop 305-313; drop 314-315; drop 318-323; drop 325-330; drop 331-346; drop 347-382; drop 385-396; drop 397-400; drop 407-422 b; drop 422-428; drop 432-440; drop 442-455; drop 460-462; drop 463-475; drop 478-489; drop 490-499; drop 501-521; drop 533-536; drop 542-551", "DP8-3.1.5.2.1-INC", conform.GuardUnwrap},
	// A frame was believed when the other side, of which it acknowledges 89, had wrapped.
	{"dp8/wild-2027030586", "drop 160-205; drop 239-248; drop 254-264; drop 268-271; drop 272-283; drop 284-303 a; drop 303-308; drop 309-320; drop 321-324; drop 325-336 a; drop 338-377; drop 378-384; drop 386-394; drop 395-402; drop 405-411; drop 439-466 a; drop 486-502 a", "DP8-3.1.5.2.2-MAX", conform.GuardNone},
	// The same.
	{"dp8/wild-2027040616", "drop 479-481; drop 501-505; drop 506-508; drop 511-515 a; drop 515-527; drop 528-529; drop 535-539; drop 594-595", "DP8-3.1.5.2.2-MAX", conform.GuardNone},
	// The path was cut for a minute, and the acknowledgement of the latest part had not arrived.
	{"dp8/wild-2027030304", "cut 54 128", "DP8-3.1.5.2.6-OPEN", conform.GuardNone},
	// The other side's acknowledgements of 3 bytes, and an id 0, made a client of 2023 one of the page.
	{"hazel/wild-2027040704", "drop 3-4", "HZ-HDR-ACKLEN", conform.GuardNone},
	// A late copy of a SACK that came before the connection was recognised.
	{"dp8/wild-3027060844", "drop 1-2; copy 285 +991.228556ms", "DP8-2.2.1-TICK-MONO", conform.GuardReord},
	// A second connection began unseen, and a datagram was sent again of which the first transmission was not captured.
	{"knet/wild-3027060722", "drop 137-149 b; drop 149-154; drop 156-158; drop 164-170 b", "KN-DG-ID-UNIQUE", conform.GuardLife},
	// Half a cycle of sequences went by unseen: acknowledgements of them seemed to name what was before the first one.
	{"dp4/wild-3027070719", "drop 24-29; drop 42-46; drop 59-82 b; drop 90-97 b; drop 106-166 b; drop 168-172; drop 182-233 b; drop 241-261 b", "DP4-2.2.4-SENT", conform.GuardClean},
	// Only the server's acknowledgements of 3 bytes were captured before the client's of 4.
	{"hazel/wild-98227549", "drop 12-21 a", "HZ-HDR-ACKLEN", conform.GuardNone},
	// A connection of version 1.4, of which the handshake was not captured: four bytes of payload looked like an id, and were sent again.
	{"dp8/wild-4027010484", "drop 0-3; drop 4-5; drop 6-7; drop 16-17; drop 22-23; drop 24-25; drop 32-33; drop 42-43; drop 45-46; drop 52-53; drop 54-55; drop 62-63; drop 65-66; drop 85-86; drop 92-95 b; drop 97-98; drop 106-107; drop 109-110; drop 128-129; drop 140-142; drop 155-156; drop 163-167 b; drop 184-185; drop 189-190; drop 192-193; drop 204-205; drop 225-226; drop 247-248; drop 262-263; drop 269-270; drop 275-278 b; drop 302-306 b; drop 341-344 b; drop 365-369; drop 375-376; drop 390-391; drop 410-411; drop 432-433; drop 447-448; drop 454-458 a; drop 461-465 b; drop 478-482 b; drop 486-487; drop 495-498 b; drop 514-516; drop 524-525; drop 528-530; drop 538-539", "DP8-2.2.2-SESSID-ABSENT", conform.GuardVer},
	// A connection of which no session id was captured had ended; 45 s later the CONNECTED of another one, whose CONNECT was not captured.
	{"dp8/wild-5027030742", "drop 887-892 b", "DP8-3.1.4.3-REPLY", conform.GuardNone},
	// Numbers went round unseen, and came to one that had seemed far ahead.
	{"dp8/wild-5027030775", "copy 192 +10.620568ms; copy 245 +10.620568ms; drop 18-32 b; drop 36-67 b; drop 72-163 b; drop 163-171; drop 172-197 b; drop 197-279; drop 281-343 b; drop 343-515", "DP8-3.1.5.2.1-RANGE", conform.GuardNone},
	// Acknowledgements rose by 80 beyond what was captured of the other side, and went round.
	{"dp8/wild-5027030777", "drop 94-98; drop 101-108; drop 111-115; drop 118-132 b; drop 133-144; drop 148-161; drop 164-180; drop 183-187; drop 191-197; drop 201-220; drop 223-230; drop 233-242; drop 244-263 b; drop 263-264; drop 266-282; drop 285-291; drop 296-302; drop 304-306; drop 309-337; drop 338-339; drop 340-357; drop 358-360; drop 361-362; drop 363-382; drop 383-387; drop 388-401; drop 402-406; drop 407-432; drop 433-437; drop 438-441", "DP8-3.1.5.2.2-MAX", conform.GuardUnwrap},
	// Four acknowledgements of a packet were lost after the capture point, and others with them.
	{"hazel/wild-5027030665", "", "HZ-REL-NORESEND", conform.GuardNone},
	// Times go in steps of 15.625 ms.
	{"hazel/HZ-REL-RESEND sends again once", "coarse 15.625ms; swap 22; swap 110; swap 130; swap 390; swap 511; swap 600; swap 854", "HZ-REL-ACK-KNOWN", conform.GuardClock},
	// Two transmissions were lost, and the acknowledgement of the third was not captured.
	{"hazel/wild-6027050842", "drop 67-70 a; drop 128-129; drop 147-148; drop 178-179; drop 184-185", "HZ-REL-ACK", conform.GuardOdds},
	// A NACK, which was not captured, had said that what a later ACK leaves open had come.
	{"dp4/wild-6027040702", "drop 107-108", "DP4-2.2.2-MSGID-WINDOW", conform.GuardNone},
	// Each of many reports caused a retry.
	{"dp4/wild-6027040682", "drop 329-330; drop 529-530", "DP4-3.1.2-RTO", conform.GuardKnew},
	// A connection of version 1.4, of which the handshake was not captured: the last part of a message looked like a KeepAlive.
	{"dp8/wild-6027010335", "drop 0-5; drop 6-7", "DP8-2.2.2-KA-NEW", conform.GuardVer},
	// Acknowledgements went on by half a cycle, unseen, and came within a window of what was told before.
	{"dp8/wild-6027030468", "drop 183-323; drop 70-182", "DP8-3.1.5.2.2-MONO", conform.GuardUnwrap},
	// A late copy of a frame that could not be read when it came, for whether frames are signed was not known yet.
	{"dp8/wild-7027020516", "copy 5 +356.554852ms; drop 1-3; drop 4-5", "DP8-3.1.5.2.1-INC", conform.GuardBidir},
	// A number that an earlier mask gave up.
	{"dp8/wild-4400911270300", "drop 249-250", "DP8-3.1.5.2.4-ACKED", conform.GuardNone},
	// An endpoint with frames of 240 bytes split a message of 461.
	{"dp8/wild-271833", "swap 151", "DP8-3.1.4.4-SMALL", conform.GuardNone},
	// What was captured went on with the next number, but it was one of the next cycle: SACKs of the side had told of 121 between.
	{"dp8/wild-314383", "drop 1226-1232 b; drop 1232-1284; drop 1286-1387; drop 1389-1454; drop 1458-1459; drop 1474-1692 b; drop 1694-1719", "DP8-SIG-EARLY", conform.GuardNone},
	// A clock of whole seconds does not show that no part was sent a second time since its message began.
	{"dp4/wild-300206", "coarse 1s", "DP4-2.2.2-SERIAL-MULTI", conform.GuardDial},
	{"dp4/wild-577391", "coarse 1s; drop 131-136", "DP4-2.2.2-SERIAL-MULTI", conform.GuardDial},
	// The first datagram that was captured, with the PacketID before 0, seemed a connect datagram, and the request in it none.
	{"knet/wild-141768", "drop 23-25", "KN-RT-PONG-MATCH", conform.GuardNone},
	// A second connection began unseen, and its PingRequests happened to go on where those of the first had ended.
	{"knet/wild-7027040769", "drop 35-36; drop 40-43 b; drop 57-58; drop 63-64", "KN-RT-PONG-MATCH", conform.GuardClean},
	// A side began again, unseen after a silence; its peer had as well, and happened to go on with the PacketIDs it had.
	{"knet/wild-662828", "drop 45-79 a; drop 1-9; drop 11-12", "KN-RT-PONG-MATCH", conform.GuardClean},
	// A side began again, and its last datagram before was not of the same connection.
	{"knet/wild-577385", "drop 34-59 b; drop 60-64; drop 65-79 b", "KN-RT-KEEPALIVE", conform.GuardNone},
	// A transfer took a fragment of the one after it, since one before had taken its own.
	{"knet/wild-814200439", "drop 24-25", "KN-FR-COMPLETE", conform.GuardNone},
	// A relay sent a datagram on a second time that is not reliable: its sender sends it once.
	{"knet/wild-812300047", "relay 2 +12.317667ms; relay 4 +12.317667ms", "KN-CV-RESEND", conform.GuardNone},
	// A side of which 8 of 69 numbers were captured came round to a lower one unseen, in a gap that was long for its speed.
	{"dp8/wild-7027050932", "relay 275 +24.396598ms; drop 10-16 b; drop 20-58 b; drop 76-81 b; drop 82-89 b; drop 97-128 b; drop 131-143 b; drop 145-146; drop 147-156; drop 158-163; drop 164-270; drop 271-372; drop 373-377 a", "DP8-3.1.5.2.2-MAX", conform.GuardNone},
	// Numbers went round unseen; what seemed far ahead was refuted, and the signatures were in doubt all the same.
	{"dp8/wild-7027030462", "drop 1081-1166 a; drop 1181-1197; drop 1308-1311; drop 1317-1498; drop 1499-1540 a; drop 1553-1587 a", "DP8-SIG-FULL", conform.GuardNone},
	// A clock of whole seconds that was set: its times are no whole seconds themselves.
	{"dp8/wild-812000413", "coarse 1s; swap 323; shift -9m14.712538s", "DP8-2.2.1-TICK-MONO", conform.GuardNone},
	{"dp8/wild-812300189", "coarse 1s; shift 16m9.24444s", "DP8-2.2.1.5-NSEQ", conform.GuardNone},
	// Another connection began 48 s later, with the KeepAlive of a side of which no number had been captured.
	{"dp8/wild-812100347", "drop 135-165 a; drop 166-171; drop 173-174; drop 3-27 a; drop 28-46 a; drop 48-66 a; drop 70-134 a", "DP8-2.2.2-KA-SESSID", conform.GuardLife},
	// … and here of a connection that had gone on under another id for long.
	{"dp8/wild-813000124", "drop 115-119; drop 129-130; drop 132-133; drop 134-135; drop 137-139; drop 143-146; drop 6-10; drop 22-26; drop 44-47; drop 63-66; drop 82-87", "DP8-2.2.2-KA-SESSID", conform.GuardNone},
	// Another connection began 50 s later, and its numbers were sent for the first time.
	{"dp8/wild-813000124", "drop 115-119; drop 128-130; drop 132-133; drop 134-135; drop 137-139; drop 145-146; drop 6-10; drop 22-26; drop 44-47; drop 63-66; drop 82-87", "DP8-3.1.5.2.2-MAX", conform.GuardNone},
	{"dp8/wild-813000174", "drop 370-371; drop 374-375", "DP8-2.2.1.5-NSEQ", conform.GuardLife},
	// The first CONNECT that was captured was the third: two and their answers came before it.
	{"dp8/wild-813100369", "drop 1-2", "DP8-2.2.1.2-MSGID-INIT", conform.GuardStart},
	// A KeepAlive far ahead was believed after the answer of another connection, and came before it.
	{"dp8/wild-814200043", "drop 469-500; drop 508-517; drop 524-536 b; drop 536-541; drop 542-547; drop 548-551; drop 554-555; drop 556-561; drop 564-565", "DP8-2.2.1.3-SESSID", conform.GuardLife},
	// A frame far ahead was believed when another connection had begun.
	{"dp8/wild-814200126", "drop 613-664 b; drop 666-687; drop 688-713; drop 714-722; drop 723-725; drop 727-731; drop 740-742; drop 745-760 a; drop 781-793 a", "DP8-3.1.5.2.2-MONO", conform.GuardNone},
	// Acknowledgements went back by 105, so that the numbers they name may have gone round.
	{"dp8/wild-816000146", "drop 4-5; drop 8-9; drop 10-12; drop 14-29 b; drop 31-54 b; drop 55-56; drop 60-62; drop 63-70; drop 83-90; drop 99-105; drop 110-111; drop 137-150; drop 151-160; drop 161-162; drop 174-188; drop 206-217; drop 224-237; drop 245-292; drop 300-318; drop 319-323; drop 329-333; drop 335-336; drop 343-390; drop 401-411; drop 412-461 b; drop 519-560; drop 561-567 b; drop 568-570; drop 571-582; drop 583-623; drop 625-644; drop 645-667; drop 668-723; drop 724-725; drop 727-755; drop 759-764", "DP8-3.1.5.2.1-INC", conform.GuardNone},
	// Two retries in 150 ms, of which the capture missed one; the shortest round trip seen was 91 ms, and none of the path.
	{"dp4/wild-812300490", "drop 24-25", "DP4-2.2.4-SERIAL", conform.GuardClean},
	// Each report caused a retry at once, and of these retries the capture misses some below the highest serial, too.
	{"dp4/wild-9422391536", "drop 81-83; drop 85-87; drop 88-93; drop 97-100; drop 109-110; drop 113-118; drop 124-131 a; drop 139-141", "DP4-2.2.4-SERIAL", conform.GuardClean},
	{"dp4/wild-813200094", "drop 3-7 b; drop 17-18; drop 20-21; drop 35-36; drop 43-44; drop 54-55; drop 61-62; drop 65-66; drop 68-73 b; drop 85-88 b; drop 99-100; drop 108-109; drop 147-148; drop 167-168; drop 227-228", "DP4-2.2.4-SERIAL", conform.GuardClean},
	// The server's acknowledgements of 3 bytes, and an id 0, made the client one of the page: none of its own was captured, and it sent a Ping.
	{"hazel/wild-815000016", "drop 11-12; drop 14-17; drop 26-36 a; drop 37-38", "HZ-HDR-CODE", conform.GuardNone},
	{"hazel/wild-811400476", "drop 7-9; drop 20-21; drop 42-43; drop 53-55; drop 61-62; drop 86-87; drop 92-94", "HZ-HDR-CODE", conform.GuardNone},
	// A copy that the network made came late, and a relay sent both on.
	{"dp4/wild-813100487", "drop 166-167; swap 165; relay 160 +24.523223ms; relay 165 +24.523223ms", "DP4-2.2.2-SERIAL-SINGLE", conform.GuardNone},
	// Reports of packets after which others were sent, none of them captured before, made their sender send them again at once.
	{"dp4/wild-818000753", "drop 253-263; drop 279-292 b; drop 302-318 b; drop 319-321; drop 362-366; drop 379-392; drop 394-406", "DP4-3.1.2-RTO", conform.GuardKnew},
	// The first datagram after a gap, whose PacketID was provisional, begins another transfer under the id of one that ended unseen.
	{"knet/wild-818000899", "drop 38-82 a", "KN-FR-START-ONCE", conform.GuardNone},
	// Both began again, unseen: under the number of a message that was acknowledged comes another one.
	{"knet/wild-818102870", "drop 1-2; drop 5-6; drop 61-64 a", "KN-RD-NORESEND", conform.GuardNone},
	// A PingReply overtook its request, and the clock shows seconds.
	{"knet/wild-818103207", "swap 20; coarse 1s", "KN-RT-PONG-MATCH", conform.GuardReord},
	// Both began again, unseen, and one seemed to go on: its peer used other PacketIDs again.
	{"knet/wild-818204701", "drop 31-34 b; drop 4-33 a; drop 35-36", "KN-DG-ID-UNIQUE", conform.GuardNone},
	// More than half a cycle of sequences went by unseen within a second, and their bytes were counted.
	{"dp4/wild-818301272", "drop 22-32 a; drop 36-50 a; drop 55-71 a; drop 80-133 a; drop 136-139; drop 151-154; drop 157-176; drop 187-221; drop 226-239 a; drop 241-278; drop 279-298 a", "DP4-2.2.4-SENT", conform.GuardNone},
	// Both began again unseen, after 8 s: what seemed out of place was of the connection before.
	{"knet/wild-819003970", "drop 11-87 b; drop 89-96; drop 97-101 b", "KN-DG-ID-INC", conform.GuardLife},
	// Both began again, unseen: a datagram of the connection before had the PacketID of one that acknowledged nothing.
	{"knet/wild-819005338", "drop 88-91 a; drop 91-92", "KN-RD-NORESEND", conform.GuardNone},
	// Both began again, unseen, and the pingIDs of one seemed to go on after 22 s.
	{"knet/wild-819105799", "drop 57-58; drop 68-69; drop 72-80 a; drop 92-93; drop 101-102", "KN-RT-PONG-MATCH", conform.GuardClean},
	// A transfer whose fragments were not all captured took one of the next, and that one of the next.
	{"knet/wild-820006608", "drop 18-19", "KN-FR-COMPLETE", conform.GuardNone},
	// A copy of the connect datagram, known as one, was taken for a datagram and acknowledged.
	{"knet/wild-820200439", "", "KN-RD-ACK-KNOWN", conform.GuardNone},
	// Both began again unseen, after 6 s and longer, and PacketIDs seemed to go on.
	{"knet/wild-821103285", "drop 88-98 a; drop 98-108; drop 12-84 a", "KN-DG-ID-INC", conform.GuardLife},
	{"knet/wild-821101455", "drop 77-82 b; drop 83-85; drop 86-98 b", "KN-DG-ID-UNIQUE", conform.GuardLife},
	// Frames far ahead waited to be believed when numbers came round unseen, to those of half a second before.
	{"dp8/wild-918273856", "drop 234-236; drop 604-658; drop 660-668; drop 691-728 a; drop 728-737; drop 739-746 a; drop 760-762; drop 775-776; drop 784-785; drop 794-797; drop 798-850; drop 851-869; drop 932-933; drop 939-943 b; drop 944-961; drop 962-974 b; drop 1014-1015; drop 1017-1035 b; drop 1038-1039; drop 1057-1059; drop 1060-1061; drop 1072-1077; drop 1079-1083; drop 1085-1086; drop 1096-1105; drop 1107-1109", "DP8-3.1.5.2.6-NEW-AFTER-END", conform.GuardUnwrap},
	// … and here the acknowledgements of them went back by a whole window. Of the numbers sent, SACKs told more than was captured.
	{"dp8/wild-817000292", "drop 16-17; drop 20-21; drop 23-24; drop 27-31; drop 35-36; drop 37-40; drop 50-52; drop 58-62; drop 65-67; drop 70-71; drop 73-76 b; drop 79-80; drop 83-85; drop 88-89; drop 90-91; drop 94-95; drop 96-97; drop 100-101; drop 102-103; drop 106-107; drop 108-109; drop 115-119; drop 126-130; drop 136-140; drop 144-148; drop 154-158; drop 163-164; drop 165-169; drop 174-175; drop 176-180; drop 185-187; drop 188-192; drop 197-199; drop 200-202; drop 205-207; drop 208-210; drop 213-215; drop 216-218; drop 221-223; drop 224-226; drop 229-231; drop 232-234; drop 237-239; drop 240-242; drop 245-247; drop 248-250; drop 253-254; drop 256-257; drop 260-262; drop 265-266; drop 268-269; drop 271-272; drop 274-275; drop 277-278; drop 279-280; drop 283-284; drop 285-287; drop 290-291; drop 292-294; drop 296-298; drop 299-300; drop 301-304; drop 305-306; drop 308-310; drop 311-314 b; drop 315-317; drop 318-320; drop 322-324; drop 325-327; drop 329-330; drop 332-333; drop 335-339 a; drop 341-342; drop 344-346; drop 348-349; drop 351-353; drop 355-356; drop 358-360; drop 362-363; drop 365-367; drop 369-370; drop 372-374; drop 376-377; drop 379-381; drop 383-384; drop 386-388; drop 390-392; drop 394-396; drop 398-400; drop 402-404; drop 406-408; drop 410-412; drop 414-416; drop 418-420; drop 422-424; drop 426-432; drop 434-438; drop 440-445; drop 446-448; drop 449-451; drop 453-455; drop 456-458; drop 459-461; drop 462-464; drop 465-467; drop 469-471; drop 472-473; drop 475-478; drop 479-480; drop 482-485; drop 486-487; drop 489-492; drop 496-499; drop 500-501; drop 503-506; drop 508-510; drop 511-514; drop 515-520; drop 521-522; drop 523-525; drop 526-528; drop 530-532; drop 533-536 b; drop 536-537; drop 538-541; drop 543-544; drop 545-547; drop 548-549; drop 551-553; drop 554-555; drop 557-559; drop 560-561; drop 563-565; drop 566-568; drop 569-571; drop 572-574; drop 575-577; drop 579-581; drop 583-585; drop 587-589; drop 590-596; drop 598-602; drop 603-607; drop 608-614; drop 615-617; drop 618-620; drop 621-623; drop 624-628; drop 630-632; drop 633-635; drop 636-638; drop 639-641; drop 642-644; drop 645-647; drop 649-651; drop 652-654; drop 656-658; drop 660-662; drop 664-666; drop 668-670; drop 672-674; drop 676-678; drop 680-682; drop 684-686; drop 688-690; drop 692-694; drop 696-698; drop 700-702; drop 704-706; drop 708-710; drop 711-713; drop 715-716; drop 718-719; drop 721-723; drop 725-726; drop 728-729; drop 730-731; drop 734-735; drop 736-738; drop 740-745; drop 746-747; drop 748-751; drop 752-755 b; drop 755-756; drop 757-758; drop 761-763; drop 767-768; drop 772-776 a; drop 778-779; drop 781-783; drop 785-786; drop 788-790; drop 792-793; drop 795-797; drop 799-800; drop 802-804; drop 806-807; drop 809-811; drop 813-814; drop 816-818; drop 820-821; drop 823-824; drop 826-827; drop 832-833; drop 835-837; drop 838-840; drop 842-843; copy 139 +4.499256ms", "DP8-3.1.5.2.2-MAX", conform.GuardUnwrap},
	// Half a cycle was missed in the first numbers of an epoch: what came after the next turn was checked with its secret.
	{"dp8/wild-817100242", "drop 542-549; drop 563-727 a; drop 727-744; drop 750-777 b; drop 777-786; drop 791-796; drop 828-953 b", "DP8-SIG-FULL", conform.GuardUnwrap},
	// The late copy of a copy that a relay made.
	{"dp8/wild-816000039", "copy 2 +104.552529ms; drop 1-2; relay 1 +1.0544ms", "DP8-2.2.2-RETRYBIT", conform.GuardNone},
	// A frame that the capture cut, after the turn of an epoch, was taken for one that no guess at the secret verifies.
	{"dp8/wild-920000738", "cut 403 64; copy 403 +935.995716ms", "DP8-3.1.5.2.2-GAPACK", conform.GuardNone},
	// The next secret was known, and a SACK went back by 41 numbers: it was of the next cycle.
	{"dp8/wild-950001053", "drop 631-647; drop 664-669; drop 681-692; drop 696-712; drop 738-748; drop 764-768; drop 779-781; drop 788-808; drop 809-817; drop 818-833; drop 837-847; drop 849-850; drop 851-854; drop 855-871; drop 893-909; drop 930-946; drop 984-994; drop 1026-1027; drop 1035-1042; drop 1058-1059; drop 1082-1083; drop 1098-1106 a; drop 1124-1140; drop 1170-1185; drop 1216-1220; drop 1249-1264; drop 1294-1299; drop 1305-1336 a", "DP8-SIG-FULL", conform.GuardUnwrap},
	// The quickest acknowledgement was one of a KeepAlive that was captured late.
	{"dp8/wild-950000380", "swap 3", "DP8-3.1.2.2-ACKDELAY", conform.GuardNone},
	// Frames after the turn of an epoch were held, and taken for copies of themselves when they were believed.
	{"dp8/wild-970001239", "drop 384-385; drop 389-440; drop 441-444; drop 447-450; drop 455-473; drop 474-477; drop 478-502; drop 503-538; drop 543-565; drop 568-661 b", "DP8-SIG-FULL", conform.GuardNone},
	// Masks with bit 0 went by while nothing was known of the numbers they name.
	{"dp8/wild-970001239", "drop 8-9; drop 10-40 a; drop 57-58; drop 59-61; drop 62-65; drop 81-82; drop 112-122; drop 155-157; drop 172-174; drop 200-218 a; drop 252-263 a; drop 263-281; drop 282-284", "DP8-3.1.5.2.3-BASE", conform.GuardNone},
	// A side sent three times as fast as in its first numbers, unseen, and came round.
	{"dp8/wild-990001175", "drop 559-566; drop 570-590 a; drop 590-655; drop 657-795 a", "DP8-SIG-FULL", conform.GuardUnwrap},
	{"dp8/wild-990001175", "drop 535-540 a; drop 551-555; drop 557-569; drop 570-654; drop 657-785 a", "DP8-SIG-HDISCKEY", conform.GuardNone},
	// The listener's answer came before the first CONNECT that was captured.
	{"dp8/wild-990000831", "drop 0-1", "DP8-2.2.1.3-ECHO-MATCH", conform.GuardNone},
	// A late copy of a number that was not captured, 199 below the highest.
	{"dp8/wild-910001259", "drop 45-49; drop 51-66; drop 121-136 a; drop 205-206; drop 248-286 a; copy 130 +893.338371ms; cut 1 18; cut 2 18; cut 6 18; cut 7 18; cut 9 18; cut 14 18; cut 17 18; cut 18 18; cut 21 18; cut 30 18; cut 31 18; cut 36 18; cut 37 18; cut 38 18; cut 39 18; cut 40 18; cut 75 18; cut 76 18; cut 77 18; cut 158 18", "DP8-3.1.5.2.1-INC", conform.GuardUnwrap},
	// In the whole capture no signature of the epoch could be verified, so that its empty payloads were no finding.
	{"dp8/wild-880000262", "drop 3-4; drop 5-6", "DP8-2.2.3-ZERO", conform.GuardNone},
	// Two frames of another connection overtook the handshake that began it, and its secret verified what came later.
	{"dp8/wild-830000409", "drop 97-98; drop 100-102", "DP8-SIG-FAST", conform.GuardLife},
	// A late copy of a frame that could not be read when it came, for whether frames are signed was not known yet.
	{"dp8/wild-820000374", "drop 1-8; drop 10-11; copy 14 +619.039329ms", "DP8-3.1.5.2.1-INC", conform.GuardDup},
	// First transmissions were missed of a side that sends again what was acknowledged: what it sends again looks first.
	{"hazel/HZ-REL-NORESEND sends all again long after it was acknowledged", "drop 160-161; drop 166-167; drop 172-173; drop 178-179; drop 184-185; drop 190-191; drop 196-197; drop 202-203; drop 208-209; drop 214-215; drop 220-221; drop 226-227; drop 232-233; drop 238-239; drop 244-245", "HZ-REL-ACK-KNOWN", conform.GuardClean},
	// … and here all of them, 15 in a row: each was acknowledged again when it was sent again.
	{"hazel/HZ-REL-NORESEND sends all again long after it was acknowledged", "drop 24-295 a", "HZ-REL-ACK-KNOWN", conform.GuardOdds},
	// … and acknowledgements of the other side, of which the capture seemed to miss nothing else.
	{"hazel/HZ-REL-NORESEND sends all again long after it was acknowledged", "drop 21-22; drop 99-100; drop 117-118; drop 123-124; drop 129-130; drop 141-142; drop 153-154; drop 225-226; drop 261-262; drop 160-161; drop 172-173; drop 184-185; drop 196-197", "HZ-REL-RESEND", conform.GuardOdds},
	// A SACK that was sent before a frame came after it, and the capture swapped both with others.
	{"dp8/wild-806501029", "swap 418; swap 422", "DP8-2.2.1.5-NSEQ", conform.GuardNone},
	// Acknowledgements went on by half a cycle, unseen: they seemed to be of numbers before the first one.
	{"dp8/wild-7311891159", "drop 1019-1020; drop 1026-1027; drop 1033-1035; drop 1040-1042; drop 1048-1050; drop 1056-1058; drop 1064-1066; drop 1072-1074; drop 1078-1080; drop 1086-1088; drop 1094-1096; drop 1102-1104; drop 1110-1112; drop 1118-1120; drop 1123-1125; drop 1131-1133; drop 1138-1140; drop 1145-1146; drop 1151-1153; drop 1159-1160; drop 1165-1167; drop 1171-1173; drop 1178-1180; drop 1185-1186; drop 1192-1194; drop 1200-1202; drop 1207-1209; drop 1215-1217; drop 1223-1225; drop 1231-1233; drop 1238-1240; drop 1246-1248; drop 1255-1284 b; drop 1287-1313 b; drop 1317-1346 b; drop 1349-1368 b; drop 1371-1400 b; drop 1403-1415 b; drop 911-1367 a", "DP8-3.1.5.2.1-START", conform.GuardUnwrap},
	// Both sides had reset a connection whose secrets were concluded; 47 s later another one began unseen.
	{"dp8/wild-51001259", "drop 1-8; drop 10-20 a; drop 22-252; drop 253-254; drop 255-272; drop 273-301; drop 303-310; drop 314-336; drop 337-341; drop 346-347; drop 348-362; drop 363-364; drop 371-372; drop 394-395; drop 402-408; drop 412-414; drop 415-416; drop 438-439; drop 444-447; drop 489-491; drop 498-499; drop 501-502; drop 503-504; drop 525-526; drop 527-541; drop 546-548; drop 568-569; drop 754-758", "DP8-SIG-FAST", conform.GuardLife},
	// The connector's first confirmation was not captured, but a copy that the network made of it, 39 ms after what it allowed.
	{"dp8/wild-52001245", "drop 3-9 a; copy 8 +21.204118ms", "DP8-3.1.5.1.5-UNEST", conform.GuardReord},
	// A listener answered what the connector sent after a confirmation that had not come; three more were not captured.
	{"dp8/wild-58000596", "drop 2-8 a; drop 10-11; drop 24-25; drop 31-32", "DP8-3.1.5.1.3-STATELESS", conform.GuardClean},
	// A late copy of a packet that came before the capture showed which protocol it was of.
	{"dp4/wild-82000654", "drop 0-80 a; drop 86-434 a; copy 306 +654.06426ms", "DP4-2.2.2-SEQ-INC", conform.GuardStart},
	// Frames were overtaken by up to 25 ms: they had not come, half of that after a round trip, when a mask named others.
	{"dp8/wild-60000437", "drop 909-910; drop 911-912; drop 919-920; drop 921-923; drop 925-958 b; drop 959-961; drop 969-1016 b; drop 1017-1018; drop 1056-1057; drop 1059-1096 b; drop 1098-1102 b; drop 1103-1143 b; drop 1145-1146; drop 1151-1152; drop 1154-1158; drop 1159-1165 b", "DP8-3.1.5.2.3-BASE", conform.GuardNone},
	// A SACK was copied so late that its side had changed the secret twice since.
	{"dp8/wild-806000078", "copy 826 +763.408625ms", "DP8-SIG-FULL", conform.GuardNone},
}

// TestRegressions: what an edit has once found falsely is found no more.
func TestRegressions(t *testing.T) {
	for _, x := range regressions {
		t.Run(x.session+"/"+x.rule, func(t *testing.T) {
			s, err := Find(x.session)
			must(t, err)
			ops, err := ParseOps(x.edits)
			must(t, err)
			s.judge(nil) // learns the habits
			if wrong, _ := s.judge(ops); len(wrong) > 0 {
				t.Errorf("replay %q %q: %s %s", s, x.edits, wrong[0].Rule.ID, s.explain(ops, wrong[0].Rule.ID))
			}
			cfg := s.cfg
			cfg.Inconclusive = true
			found := findingsOf(s.edited(ops), cfg)
			if doubted := func(f session.Finding) bool { return f.Rule.ID == x.rule && !f.Failed() && f.Guard == x.guard }; x.guard != conform.GuardNone && !slices.ContainsFunc(found, doubted) {
				t.Errorf("replay %q %q: %s is not inconclusive for %v", s, x.edits, x.rule, x.guard)
			}
		})
	}
}
