package cmd
import ("testing";"os";"macroscope/model/file/data";"macroscope/model/system";"bytes")
func TestZ2(t *testing.T){
 var e bytes.Buffer
 m,err:=load(&e,os.Getenv("ZM")); if err!=nil{t.Fatal(err)}
 r:=reading{outliers:"refuse"}
 src,err:=r.openFor(&e,m,m.System,os.Getenv("ZD"),""); if err!=nil{t.Fatal(err)}
 c:=m.NewCoder(); v:=m.Config.States(); s:=src.Shape()
 var all []float32
 for i:=range s.Trajectories{ var tr system.Trajectory; if err:=src.Make(&tr,i,func(float64)error{return nil}); err!=nil{t.Fatal(err)}
  var f system.Frame
  for k:=range s.Frames{ m.System.Frame(&f,&tr,k,s.Dim); z:=make([]float32,v); c.State(z,&f,tr.Until(k,m.Config.Variables),0); all=append(all,z...)}}
 f,_:=os.Create(os.Getenv("ZO")); data.WriteNPZ(f,map[string]*data.Array{"z":data.NewArray([]int{s.Trajectories,s.Frames,v},all)}); f.Close()
}
